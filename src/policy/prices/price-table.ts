/** What a price hangs on. */
export interface PriceFacts {
  /** The model, the template, and each field that says what kind of thing is made: tasks of one kind differ in volume alone. */
  kind: string;
  /** How much of it is made: results, times seconds, times characters to speak; as far as the input tells. */
  volume: number;
  /** Whether the price grows as the volume does: the specification prices the second. */
  isByVolume?: true | undefined;
}

/** Kinds that are remembered, and volumes of each: those that were heard of last. */
const MOST_KINDS = 200;
const MOST_VOLUMES = 16;
/** A price that was seen so often in a row is the price, whatever was seen before. */
const SETTLED_AFTER = 5;

/** What tasks of one kind and volume have cost, in credits: the least and the most, the last, and how often that in a row. */
type Seen = [volume: number, low: number, high: number, last: number, times: number];
/** What a table keeps, and hands to another one. */
export type PriceList = [kind: string, seen: Seen[]][];

/** What a task will cost, in credits. */
export interface Estimate {
  low: number;
  expected: number;
  high: number;
  /** How many tasks it rests on. */
  seen: number;
  /** Whether tasks of this very volume were seen. */
  isExact: boolean;
  /** Whether it cannot cost more than `high`, as far as prices grow with the volume. */
  isBounded: boolean;
}

/** What is reserved for a task, in credits. */
export interface Cost {
  /** What it costs at most; null: nobody knows. */
  price: number | null;
  /** Where no task of that volume was seen: what it will cost. So much has to be free, and not more. */
  expected?: number | undefined;
}

export function costOf(estimate: Estimate | undefined): Cost {
  if (estimate?.isBounded !== true) return { price: null };
  const { high: price, expected, isExact } = estimate;
  return isExact || expected >= price ? { price } : { price, expected };
}

/** What tasks have cost, by kind and volume. Between two volumes a price lies between theirs. */
export class PriceTable {
  readonly #kinds = new Map<string, Seen[]>();

  constructor(list: PriceList = []) {
    for (const [kind, seen] of list) this.#kinds.set(kind, seen);
  }

  get list(): PriceList {
    return [...this.#kinds];
  }

  /** @returns whether that is news: another price than was seen last, or one of another kind or volume */
  learn({ kind, volume }: PriceFacts, credits: number): boolean {
    if (!(credits > 0)) return false; // nothing, or given back
    const seen = this.#kinds.get(kind) ?? [];
    const known = seen.find(([one]) => one === volume);
    const [, low = credits, high = credits, last = credits, times = 0] = known ?? [];
    const again = last === credits ? times + 1 : 1;
    const isSettled = again >= SETTLED_AFTER;
    const next: Seen = isSettled
      ? [volume, credits, credits, credits, again]
      : [volume, Math.min(low, credits), Math.max(high, credits), credits, again];
    const others = seen.filter((one) => one !== known).slice(-(MOST_VOLUMES - 1));
    this.#kinds.delete(kind);
    this.#kinds.set(kind, [...others, next]);
    const [oldest = ''] = this.#kinds.keys();
    if (this.#kinds.size > MOST_KINDS) this.#kinds.delete(oldest);
    return known === undefined || last !== credits || again === SETTLED_AFTER;
  }

  /** @returns undefined where no task of that kind was seen */
  estimate({ kind, volume, isByVolume }: PriceFacts): Estimate | undefined {
    const seen = [...(this.#kinds.get(kind) ?? [])].sort(([a], [b]) => a - b);
    const count = (some: Seen[]): number => some.reduce((sum, [, , , , times]) => sum + times, 0);
    const below = seen.findLast(([one]) => one <= volume);
    const above = seen.find(([one]) => one >= volume);
    if (below !== undefined && below === above) {
      const [, low, high, last, times] = below;
      return { low, expected: last, high, seen: times, isExact: true, isBounded: true };
    }
    if (below !== undefined && above !== undefined) {
      const share = (volume - below[0]) / (above[0] - below[0]);
      const between = below[3] + share * (above[3] - below[3]);
      const high = Math.max(below[2], above[2]);
      return whole(Math.min(below[1], above[1]), between, high, count([below, above]), true);
    }
    const nearest = below ?? above;
    if (nearest === undefined) return undefined;
    const scale = volume / nearest[0];
    const scaled = nearest[3] * scale;
    const grows = isByVolume === true;
    if (above !== undefined) {
      const guess = Math.min(above[2], Math.max(scaled, onLine(volume, above, seen.at(-1) ?? above)));
      const [low, expected] = grows ? [scaled, scaled] : [Math.min(1, scaled), guess];
      return whole(low, expected, above[2], count([above]), true);
    }
    return whole(grows ? scaled : nearest[1], scaled, nearest[2] * scale, count([nearest]), grows);
  }
}

/** What a lesser volume costs by two greater ones: a part of the price may be fixed. One credit may be a rounding. */
function onLine(volume: number, [least, , , price]: Seen, [most, , , highest]: Seen): number {
  return price - ((least - volume) * (highest - price + 1)) / (most - least);
}

/** Credits are whole, as far as anybody has seen. */
function whole(low: number, expected: number, high: number, seen: number, isBounded: boolean): Estimate {
  const up = (credits: number): number => Math.ceil(credits - 1e-9);
  return { low: up(low), expected: up(expected), high: up(high), seen, isExact: false, isBounded };
}
