import { covers, extentOf, growth, isSameSize, type Measured, measured, type Size } from './sizes.ts';

/** What a price hangs on. */
export interface PriceFacts extends Size {
  /** The model, the template, and each field that says what kind of thing is made: tasks of one kind differ in size alone. */
  kind: string;
  /** Whether the price grows as the volume does: the specification prices the second. */
  isByVolume?: true | undefined;
}

/** Kinds that are remembered, and sizes of each: those that were heard of last. */
const MOST_KINDS = 200;
const MOST_SIZES = 16;
/** A price that was seen so often in a row is the price, whatever was seen before. */
const SETTLED_AFTER = 5;
/** Seen so often in a row of sources whose lengths nobody knows, it does not hang on these. */
const SURE_AFTER = 20;

/** What tasks of one kind and size have cost, in credits: the least and the most, the last, and how often that in a row. */
type Seen = [
  volume: number,
  low: number,
  high: number,
  last: number,
  times: number,
  seconds?: Size['seconds'],
];
/** What a table keeps, and hands to another one. */
export type PriceList = [kind: string, seen: Seen[]][];

/** What a task will cost, in credits. */
export interface Estimate {
  low: number;
  expected: number;
  high: number;
  /** How many tasks it rests on. */
  seen: number;
  /** Whether tasks of this very size were seen. */
  isExact: boolean;
  /** Whether it cannot cost more than `high`, as far as prices grow with the size. */
  isBounded: boolean;
  /** Where it has sources that are heard or seen as they run: whether anybody knows how long they last. */
  sources?: 'known' | 'unknown';
}

/** What is reserved for a task, in credits. */
export interface Cost {
  /** What it costs at most; null: nobody knows. */
  price: number | null;
  /** Where no task of that size was seen: what it will cost, as far as anybody can tell. So much has to be free, and not more. */
  expected?: number | undefined;
}

export function costOf(estimate: Estimate | undefined): Cost {
  if (estimate === undefined) return { price: null };
  const { high, expected, isExact, isBounded, sources } = estimate;
  // By the second is what such tasks cost; a word or a picture may have had a least price.
  if (!isBounded) return sources === undefined ? { price: null } : { price: null, expected: high };
  return isExact || expected >= high ? { price: high } : { price: high, expected };
}

/** What is to be free for a task, in credits; null: nobody knows. It may be a guess: the task reserves its own `costOf`. */
export function likelyCost(estimate: Estimate | undefined): number | null {
  if (estimate === undefined) return null;
  return estimate.isExact ? estimate.high : estimate.expected;
}

/** What tasks have cost, by kind and size. Between two sizes a price lies between theirs. */
export class PriceTable {
  readonly #kinds = new Map<string, Seen[]>();

  constructor(list: PriceList = []) {
    for (const [kind, seen] of list) this.#kinds.set(kind, seen);
  }

  get list(): PriceList {
    return [...this.#kinds];
  }

  /** @returns whether that is news: another price than was seen last, or one of another kind or size */
  learn({ kind, volume, seconds }: PriceFacts, credits: number): boolean {
    if (!(credits > 0)) return false; // nothing, or given back
    const seen = this.#kinds.get(kind) ?? [];
    const known = seen.find((one) => isSameSize(sizeOf(one), { volume, seconds }));
    const [, low = credits, high = credits, last = credits, times = 0] = known ?? [];
    const again = last === credits ? times + 1 : 1;
    const isSettled = again >= SETTLED_AFTER;
    const lengths: [Size['seconds']?] = seconds === undefined ? [] : [seconds];
    const next: Seen = isSettled
      ? [volume, credits, credits, credits, again, ...lengths]
      : [volume, Math.min(low, credits), Math.max(high, credits), credits, again, ...lengths];
    this.#kinds.delete(kind);
    this.#kinds.set(kind, withinBound([...seen.filter((one) => one !== known), next]));
    const [oldest = ''] = this.#kinds.keys();
    if (this.#kinds.size > MOST_KINDS) this.#kinds.delete(oldest);
    return known === undefined || last !== credits || again === SETTLED_AFTER;
  }

  /** @returns undefined where no task of that kind was seen */
  estimate({ kind, isByVolume, ...size }: PriceFacts): Estimate | undefined {
    const all = this.#kinds.get(kind) ?? [];
    const points = all.flatMap(pointOf).sort((one, other) => one.extent - other.extent);
    const greatest = points.at(-1);
    const at = measured(size);
    if (at === undefined || greatest === undefined) return unmeasured(size, all);
    const extent = extentOf(at);
    const below = points.findLast((one) => covers(at, one.at));
    const above = points.find((one) => covers(one.at, at));
    if (below !== undefined && below === above) {
      const { low, high, last: expected, times } = below;
      return { low, expected, high, seen: times, isExact: true, isBounded: true };
    }
    if (below !== undefined && above !== undefined) {
      const share = (extent - below.extent) / (above.extent - below.extent);
      const between = below.last + share * (above.last - below.last);
      const high = Math.max(below.high, above.high);
      return whole(Math.min(below.low, above.low), between, high, below.times + above.times, true);
    }
    const grows = isByVolume === true;
    if (above !== undefined) {
      const scaled = (above.last * extent) / above.extent;
      const guess = Math.min(above.high, Math.max(scaled, onLine(extent, above, greatest)));
      const [low, expected] = grows ? [scaled, scaled] : [Math.min(1, scaled), guess];
      return whole(low, expected, above.high, above.times, true);
    }
    const nearest = below ?? greatest;
    const scale = growth(at, nearest.at);
    const [scaled, most] = [nearest.last * scale, nearest.high * scale];
    if (grows) return whole(scaled, scaled, most, nearest.times, true);
    const guess = Math.max(nearest.high, Math.min(most, onLine(extent, points[0] ?? greatest, greatest)));
    const more = whole(nearest.low, Math.min(scaled, guess), guess, nearest.times, false);
    return at.length === 1 ? more : { ...more, sources: 'known' };
  }
}

/** A size that was seen, of which all is known. */
interface Point {
  at: Measured;
  extent: number;
  low: number;
  high: number;
  last: number;
  times: number;
}

/** Of too many sizes the oldest one is forgotten that another one covers: the greatest is a bound for all. */
function withinBound(seen: Seen[]): Seen[] {
  if (seen.length <= MOST_SIZES) return seen;
  const isCovered = (one: Seen): boolean => {
    const at = measured(sizeOf(one));
    return seen.some((other) => {
      const greater = other === one ? undefined : measured(sizeOf(other));
      return at !== undefined && greater !== undefined && covers(greater, at);
    });
  };
  const forgotten = seen.find(isCovered) ?? seen[0];
  return seen.filter((one) => one !== forgotten);
}

function sizeOf([volume, , , , , seconds]: Seen): Size {
  return { volume, seconds };
}

function pointOf(seen: Seen): Point[] {
  const at = measured(sizeOf(seen));
  const [, low, high, last, times] = seen;
  return at === undefined ? [] : [{ at, extent: extentOf(at), low, high, last, times }];
}

/**
 * Where nobody knows how long its sources last, or how long those did that were seen: it may cost what any such task has
 * cost. One price of all of them, again and again, does not hang on the sources.
 */
function unmeasured(size: Size, all: readonly Seen[]): Estimate | undefined {
  if (all.length === 0) return undefined;
  const own = all.find((one) => isSameSize(sizeOf(one), size));
  const scaled = (credits: number, [volume]: Seen): number => (credits * size.volume) / volume;
  const low = Math.min(...all.map((one) => scaled(one[1], one)));
  const high = Math.max(...all.map((one) => scaled(one[2], one)));
  const isSure = low === high && (own?.[4] ?? 0) >= SURE_AFTER;
  const times = all.reduce((sum, [, , , , one]) => sum + one, 0);
  return { ...whole(low, (low + high) / 2, high, times, isSure), sources: 'unknown' };
}

/** What another extent costs by two: a part of the price may be fixed. One credit may be a rounding. One alone tells nothing. */
function onLine(extent: number, least: Point, greatest: Point): number {
  const apart = greatest.extent - least.extent;
  if (apart <= 0) return extent < least.extent ? 0 : Infinity;
  return least.last + ((extent - least.extent) * (greatest.last - least.last + 1)) / apart;
}

/** Credits are whole, as far as anybody has seen. */
function whole(low: number, expected: number, high: number, seen: number, isBounded: boolean): Estimate {
  const up = (credits: number): number => Math.ceil(credits - 1e-9);
  return { low: up(low), expected: up(expected), high: up(high), seen, isExact: false, isBounded };
}
