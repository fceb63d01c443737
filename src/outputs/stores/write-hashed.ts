import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { onFolder } from './folder-failure.ts';

/** A file's size in bytes and its SHA-256 in lower-case hexadecimal digits. */
export interface Digest {
  bytes: number;
  sha256: string;
}

/**
 * Writes a source to a new file, on the disk (fsync) when this returns, hashing on the way. When the source or the
 * disk fails, the file is removed again.
 *
 * @throws OutputStoreFailed for the disk; whatever the source throws
 */
export async function writeHashed(path: string, source: AsyncIterable<Uint8Array>): Promise<Digest> {
  const folder = dirname(path);
  const sha256 = createHash('sha256');
  let bytes = 0;
  const file = await onFolder(folder, () => open(path, 'wx'));
  try {
    try {
      for await (const chunk of source) {
        sha256.update(chunk);
        bytes += chunk.byteLength;
        await onFolder(folder, () => file.writeFile(chunk));
      }
      await onFolder(folder, () => file.sync());
    } finally {
      await onFolder(folder, () => file.close());
    }
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
  return { bytes, sha256: sha256.digest('hex') };
}

/** As in a digest. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The digest of a file that is there already. */
export async function readHashed(path: string): Promise<Digest> {
  const sha256 = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const part: Uint8Array = chunk; // a stream without an encoding gives bytes
    sha256.update(part);
    bytes += part.byteLength;
  }
  return { bytes, sha256: sha256.digest('hex') };
}
