import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Digest } from '../stores/write-hashed.ts';

/** A file on its way into the store. It is read in pieces, more than once. */
export interface FileSource {
  readonly bytes: number;
  readonly contentType: string;
  /** The bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
  /** @throws FileChanged where it is not the file any more that was read at first */
  ensureSame(): Promise<void>;
  close(): Promise<void>;
}

/** Of a file, what is in memory at a time. */
export const WINDOW = 4 * 1024 ** 2;

/** The file was written to while it was uploaded: what is in the store would be neither the old nor the new one. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';

  constructor(what: string) {
    super(`${what} changed while it was uploaded; nothing of it was stored`);
  }
}

/** @throws what `open` throws: the file is not there, or may not be read */
export async function openFile(path: string, contentType: string): Promise<FileSource> {
  const file = await open(path, 'r');
  try {
    const { size, mtimeMs } = await regular(file, path);
    return {
      bytes: size,
      contentType,
      async read(start, end) {
        const { buffer, bytesRead } = await file.read(new Uint8Array(end - start), 0, end - start, start);
        if (bytesRead < end - start) throw new FileChanged(path);
        return buffer;
      },
      async ensureSame() {
        const now = await file.stat();
        if (now.size !== size || now.mtimeMs !== mtimeMs) throw new FileChanged(path);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function regular(file: FileHandle, path: string): Promise<{ size: number; mtimeMs: number }> {
  const found = await file.stat();
  if (!found.isFile()) throw new TypeError(`${path} is no file`);
  return found;
}

export function blobSource(blob: Blob, contentType: string): FileSource {
  return {
    bytes: blob.size,
    contentType,
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
    ensureSame: async () => undefined,
    close: async () => undefined,
  };
}

export function bytesSource(bytes: Uint8Array, contentType: string): FileSource {
  return {
    bytes: bytes.byteLength,
    contentType,
    read: async (start, end) => bytes.subarray(start, end),
    ensureSame: async () => undefined,
    close: async () => undefined,
  };
}

/** Reads it once from its beginning to its end. */
export async function hashSource(source: FileSource): Promise<Digest> {
  const sha256 = createHash('sha256');
  for (let at = 0; at < source.bytes; at += WINDOW)
    sha256.update(await source.read(at, Math.min(at + WINDOW, source.bytes)));
  return { bytes: source.bytes, sha256: sha256.digest('hex') };
}
