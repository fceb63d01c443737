import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import mime from 'mime';
import { LocalFile } from '../../contract/file-input.ts';
import { blobSource, bytesSource, type FileSource, openFile } from '../../outputs/inputs/file-source.ts';

const OCTETS = 'application/octet-stream';

/** A file to be uploaded, as it can be read in pieces and more than once: a stream is kept on the disk meanwhile. */
export async function openSource(
  file: LocalFile | Uint8Array | Blob | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<FileSource> {
  const source = await openAny(file, signal);
  return {
    ...source,
    read(start, end) {
      signal?.throwIfAborted();
      return source.read(start, end);
    },
  };
}

async function openAny(
  file: LocalFile | Uint8Array | Blob | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<FileSource> {
  if (file instanceof LocalFile)
    return await openFile(file.path, file.contentType ?? mime.getType(file.path) ?? OCTETS);
  if (file instanceof Blob) return blobSource(file, file.type === '' ? OCTETS : file.type);
  if (file instanceof Uint8Array) return bytesSource(file, OCTETS);
  const path = join(tmpdir(), `darkroom-${randomUUID()}`);
  try {
    const options = signal === undefined ? {} : { signal };
    await pipeline(Readable.from(file), createWriteStream(path, { mode: 0o600 }), options);
    const source = await openFile(path, OCTETS);
    return {
      ...source,
      async close() {
        await source.close();
        await rm(path, { force: true });
      },
    };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
