import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { OutputDelayed } from '../output-errors.ts';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Undoes a `Content-Encoding`. We ask for none, but object stores keep what an upload was labelled with, and stored
 * as it is the file would be unreadable.
 *
 * @throws OutputDelayed for an encoding that is not known or bytes that do not decode; what the source throws
 */
export async function* decodeBody(
  source: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const create = DECODERS[encoding];
  if (create === undefined)
    throw new OutputDelayed(`the output is encoded as ${encoding}, which is not known`);
  const decoder = create();
  pipeline(Readable.from(source), decoder, () => undefined); // the decoder is destroyed with the source's error
  try {
    for await (const chunk of decoder) {
      const part: Uint8Array = chunk; // a zlib stream gives bytes
      yield part;
    }
  } catch (error) {
    if (isZlibError(error)) throw new OutputDelayed(`the output is not valid ${encoding}`, { cause: error });
    throw error;
  }
}

function isZlibError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errno' in error &&
    'code' in error &&
    /^Z_|^ERR_(_|BROTLI|ZSTD)/.test(String(error.code))
  );
}
