import { Random } from '../../chaos/random.ts';

/** Values that sizes, counts and offsets in files are set to by who means harm, or by chance. */
const EDGES = [0, 1, 2, 7, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xee6b_2800, 0xffff_fff0, 0xffff_ffff];

type Mutation = (bytes: Buffer, at: number, random: Random) => Buffer;

const below = (random: Random, count: number): number => Math.floor(random.next() * count);

const MUTATIONS: readonly Mutation[] = [
  // A big-endian number of 4 bytes, as MP4, PNG and EBML have them, and a little-endian one, as RIFF and TIFF do.
  (bytes, at, random) => {
    if (at + 4 <= bytes.length) bytes.writeUInt32BE(random.pick(EDGES), at);
    return bytes;
  },
  (bytes, at, random) => {
    if (at + 4 <= bytes.length) bytes.writeUInt32LE(random.pick(EDGES), at);
    return bytes;
  },
  (bytes, at, random) => {
    bytes[at] = below(random, 256);
    return bytes;
  },
  (bytes, at, random) =>
    bytes.fill(random.pick([0, 0xff]), at, Math.min(bytes.length, at + below(random, 16))),
  (bytes, at) => bytes.subarray(0, at),
  (bytes, at, random) => {
    const part = bytes.subarray(at, at + below(random, 64));
    return Buffer.concat([
      bytes.subarray(0, at),
      ...Array<Buffer>(below(random, 20)).fill(part),
      bytes.subarray(at),
    ]);
  },
];

/** A file with one to four things wrong in it, most of them near its beginning; the same seed, the same file. */
export function mutate(file: Uint8Array, seed: number): Buffer {
  const random = new Random(seed);
  let bytes: Buffer = Buffer.from(file);
  for (let left = 1 + below(random, 4); left > 0 && bytes.length > 16; left -= 1) {
    // The first bytes stay: a file of an unknown format is looked at no further.
    const at = 12 + Math.floor((bytes.length - 12) * random.next() ** 2);
    bytes = random.pick(MUTATIONS)(bytes, at, random);
  }
  return bytes;
}
