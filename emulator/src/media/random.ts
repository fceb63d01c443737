import { createHash } from 'node:crypto';

/** A repeatable stream of numbers: the same parts give the same stream, on every machine. */
export interface Random {
  /** The next number in [0, 1). */
  next(): number;
  /** The next number in [low, high). */
  between(low: number, high: number): number;
  /** One of the items. Throws a RangeError for an empty list. */
  pick<T>(items: readonly T[]): T;
}

/** Makes a stream from what the caller wants it to depend on, in order. */
export function seededRandom(...parts: readonly (string | number)[]): Random {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = digest.readInt32LE(12);

  // sfc32 (public domain, PractRand): small, fast, and integer-only, so it repeats everywhere.
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  };

  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new RangeError('There is nothing to pick from');
      return item;
    },
  };
}
