import { pipeline, Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { MEMORY_LIMITS } from '../limits.ts';
import { OutputDelayed } from '../output-errors.ts';

/** How to undo an encoding, and how much memory its window takes at most, in bytes. */
interface Decoder {
  create: () => Transform;
  window: number;
}

/** 8 MiB, which RFC 9659 allows HTTP; zstd itself takes a window of 128 MiB that a file of some bytes asks for. */
const ZSTD_WINDOW_LOG = 23;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: { create: createGunzip, window: 32 * 1024 },
  'x-gzip': { create: createGunzip, window: 32 * 1024 },
  deflate: { create: createInflate, window: 32 * 1024 },
  // Its largest, unless it is asked for larger ones.
  br: { create: createBrotliDecompress, window: 2 ** 24 },
  zstd: {
    create: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
    window: 2 ** ZSTD_WINDOW_LOG,
  },
};

/** Memory that windows take now. */
let used = 0;

/**
 * Undoes a `Content-Encoding`. We ask for none, but object stores keep what an upload was labelled with, and stored
 * as it is the file would be unreadable.
 *
 * @throws OutputDelayed for an encoding that is not known, bytes that do not decode in a window of bounded size, and
 *   while others take all the memory that there is for windows; what the source throws
 */
export async function* decodeBody(
  source: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const known = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (known === undefined)
    throw new OutputDelayed(`the output is encoded as ${encoding}, which is not known`);
  if (used + known.window > MEMORY_LIMITS.windowBytes) {
    throw new OutputDelayed(
      `the output is encoded as ${encoding}, and this worker is busy decoding other files`,
    );
  }
  used += known.window;
  const decoder = known.create();
  pipeline(Readable.from(source), decoder, () => undefined); // the decoder is destroyed with the source's error
  try {
    for await (const chunk of decoder) {
      const part: Uint8Array = chunk; // a zlib stream gives bytes
      yield part;
    }
  } catch (error) {
    if (isZlibError(error)) {
      const orLarge = encoding === 'zstd' ? ', or asks for a larger window than 8 MiB' : '';
      throw new OutputDelayed(`the output is not valid ${encoding}${orLarge}`, { cause: error });
    }
    throw error;
  } finally {
    used -= known.window;
  }
}

function isZlibError(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errno' in error &&
    'code' in error &&
    /^Z_|^ERR_(_|BROTLI|ZSTD)|^ZSTD_/.test(String(error.code))
  );
}
