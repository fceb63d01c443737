import type { MediaFormat } from '../inspection/media-format.ts';
import { OutputDelayed } from '../output-errors.ts';

const TAIL = 32;
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** How the last bytes of a whole file look. */
const ENDINGS: Readonly<Record<string, (tail: string) => boolean>> = {
  'image/png': (tail) => tail.includes('IEND\xaeB\x60\x82'),
  'image/jpeg': (tail) => tail.includes('\xff\xd9'),
  'image/gif': (tail) => tail.includes(';'),
};

/**
 * Passes a file on and fails at its end when its format says that a part is missing. For bodies whose end HTTP does
 * not mark (the server just closes the connection), where nothing else tells a torn file from a whole one.
 *
 * Known are PNG, JPEG and GIF by their endings, RIFF (WebP, WAV) by its size and MP4 by its chain of boxes.
 *
 * @throws OutputDelayed
 */
export async function* endsWhole(
  source: AsyncIterable<Uint8Array>,
  media: MediaFormat | null,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let tail: Uint8Array = new Uint8Array();
  const boxes = new BoxChain(media);
  for await (const chunk of source) {
    boxes.take(chunk, size);
    size += chunk.byteLength;
    tail = Buffer.concat([tail, chunk.subarray(-TAIL)]).subarray(-TAIL);
    yield chunk;
  }
  const ending = ENDINGS[media?.type ?? ''];
  if ((ending !== undefined && !ending(latin1(tail))) || boxes.end > size) {
    throw new OutputDelayed(
      `the output is cut off after ${size} bytes: it is no whole ${media?.type ?? 'file'}`,
    );
  }
}

/** Follows sizes written at the head of RIFF files and MP4 boxes, across chunks. */
class BoxChain {
  /** Where the file must at least reach to. */
  end = 0;
  readonly #read: ((header: DataView) => number) | undefined;
  #header = Buffer.alloc(0);
  #done = false;

  constructor(media: MediaFormat | null) {
    this.#read = READERS.get(media?.extension);
  }

  /** @param position the chunk's offset in the file */
  take(chunk: Uint8Array, position: number): void {
    let offset = Math.max(0, this.end + this.#header.byteLength - position);
    while (this.#read !== undefined && !this.#done) {
      const wanted = 16 - this.#header.byteLength;
      this.#header = Buffer.concat([this.#header, chunk.subarray(offset, offset + wanted)]);
      if (this.#header.byteLength < 16) return;
      const size = this.#read(new DataView(this.#header.buffer, this.#header.byteOffset, 16));
      this.#header = Buffer.alloc(0);
      this.end += size;
      this.#done = size === 0 || this.#read === riffEnd;
      offset = this.end - position;
    }
  }
}

/** Writers that stream leave the size empty or full. */
function riffEnd(header: DataView): number {
  const size = header.getUint32(4, true);
  return size === 0 || size >= 0x7fff_ff00 ? 0 : size + 8;
}

/** What the head of a box, or of the whole file, says of where it ends: by the file's extension. */
const READERS: ReadonlyMap<string | undefined, (header: DataView) => number> = new Map([
  ...['webp', 'wav', 'avi'].map((extension) => [extension, riffEnd] as const),
  ...['mp4', 'm4a', 'mov', 'avif', 'heic'].map((extension) => [extension, boxSize] as const),
]);

/** A box of size 0 reaches to the file's end; one of size 1 has its size in the 8 bytes after its type. */
function boxSize(header: DataView): number {
  const size = header.getUint32(0);
  return size === 1 ? Number(header.getBigUint64(8)) : size;
}
