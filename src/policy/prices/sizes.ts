/** How much is bought. */
export interface Size {
  /** How much of it is made: results, times seconds, times characters to speak; as far as the input tells. */
  volume: number;
  /** How long each source lasts that is heard or seen as it runs, by the names of their fields; null: nobody knows. */
  seconds?: readonly (number | null)[] | undefined;
}

/** A size of which all is known. Of one kind all have as many numbers. */
export type Measured = readonly [volume: number, ...seconds: number[]];

/** @returns undefined where nobody knows how long a source lasts */
export function measured({ volume, seconds = [] }: Size): Measured | undefined {
  const known = seconds.flatMap((one) => one ?? []);
  return known.length === seconds.length ? [volume, ...known] : undefined;
}

export function isSameSize(one: Size, other: Size): boolean {
  const { seconds = [] } = other;
  return one.volume === other.volume && (one.seconds ?? []).every((length, at) => length === seconds[at]);
}

/** Whether nothing of the other one is more: then that costs no more, whichever of it the price hangs on. */
export function covers(one: Measured, other: Measured): boolean {
  return one.every((part, at) => part >= (other[at] ?? 0));
}

/** All in one number: of two sizes, one of which covers the other, that one has the greater. */
export function extentOf([volume, ...seconds]: Measured): number {
  return volume * (seconds.length === 0 ? 1 : seconds.reduce((sum, one) => sum + one));
}

/** How many times one is as much as another, by what has grown most of it. */
export function growth([volume, ...seconds]: Measured, [before, ...earlier]: Measured): number {
  const longer = seconds.map((one, at) => one / (earlier[at] ?? one));
  return (volume / before) * (longer.length === 0 ? 1 : Math.max(...longer));
}
