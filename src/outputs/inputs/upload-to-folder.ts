import { constants } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { onFolder } from '../stores/folder-failure.ts';
import { makeFolder } from '../stores/make-folder.ts';
import { readHashed } from '../stores/write-hashed.ts';
import { FileChanged, type FileSource, WINDOW } from './file-source.ts';

/**
 * Writes a file whose name says its content. What an earlier try has written, which was killed, is gone on with: it lies
 * beside the place under a hidden name. Two that write at the same time write the same bytes to the same places. The whole
 * is hashed before it gets its name.
 *
 * @throws FileChanged, OutputStoreFailed
 */
export async function uploadToFolder(path: string, source: FileSource, sha256: string): Promise<void> {
  const folder = dirname(path);
  const part = join(folder, `.${basename(path)}.part`);
  await onFolder(folder, () => makeFolder(folder));
  for (const isLast of [false, true]) {
    const goesOn = await writeRest(part, source);
    await source.ensureSame();
    const found = await onFolder(folder, () => readHashed(part)).catch(async (error: unknown) => {
      if (await isThere(path, source.bytes)) return undefined; // another one was quicker
      throw error;
    });
    if (found === undefined) return;
    if (found.sha256 === sha256) {
      await onFolder(folder, () => rename(part, path)).catch(async (error: unknown) => {
        if (!(await isThere(path, source.bytes))) throw error;
      });
      return;
    }
    // What was there is not its beginning, after a power cut say: from the beginning, once.
    await rm(part, { force: true }).catch(() => undefined);
    if (!goesOn || isLast) throw new FileChanged('the file');
  }
}

/** @returns whether there was a beginning */
async function writeRest(part: string, source: FileSource): Promise<boolean> {
  const folder = dirname(part);
  const file = await onFolder(folder, () => open(part, constants.O_RDWR | constants.O_CREAT, 0o666));
  try {
    const { size } = await onFolder(folder, () => file.stat());
    const from = Math.min(size, source.bytes);
    for (let at = from; at < source.bytes; at += WINDOW) {
      const piece = await source.read(at, Math.min(at + WINDOW, source.bytes));
      await onFolder(folder, () => file.write(piece, 0, piece.byteLength, at));
    }
    await onFolder(folder, async () => {
      await file.truncate(source.bytes);
      await file.sync();
    });
    return from > 0;
  } finally {
    await file.close();
  }
}

async function isThere(path: string, bytes: number): Promise<boolean> {
  return await stat(path).then(
    ({ size }) => size === bytes,
    () => false,
  );
}
