import type { GateEntry, LookPace, ParkedGeneration } from '../../contract/entities/credit-gate.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';

/** All entries together, as JSON: they are carried over as one argument, and a payload takes 2 MB. */
const MOST_BYTES = 1_200_000;
/** So many are woken at once. */
const MOST_AT_ONCE = 50;
/** After so many of the longest pauses between looks one tries although the balance has not grown; then twice, … */
const TRIED_AFTER = { first: 3, most: 24 };
/** The longest pause where nobody has asked for one (milliseconds). */
const USUAL_PAUSE = 60_000;

export interface Parked {
  workflowId: string;
  parkId: string;
  runId: string | null;
  /** Milliseconds since the epoch. */
  parkedSince: number;
  price: number | null;
  baseline: number | null;
  refused: boolean;
}

/**
 * The queue of a credit gate: who may submit again at which balance. Pure, so that it is tested without Temporal.
 *
 * A generation with a known price waits until the balance covers it. Those without wait until the balance has grown at
 * all. Then they go in batches, each up to twice as large as the one before and no larger than the balance seems to
 * pay for, by what the last batch has cost; until one of them comes back refused, and from then on until the balance
 * is above the one it was refused at. Nobody overtakes.
 *
 * A refusal may be a mistake of the provider's, and costs nothing: where nobody was woken for a while although the
 * balance would do, the one at the head tries. If it does not come back, or any other submit is accepted, the gate is
 * open for those that were refused at this balance.
 */
export class GateQueue {
  readonly #entries = new Map<string, Parked>();
  #pace: LookPace | undefined;
  #bytes = 0;
  /** How many without a known price may go next. */
  #batch = 1;
  /** Whether those that went last have not come back. */
  #isOpen = false;
  /** The balance at which the last one was refused that had been released. */
  #refusedAt = -Infinity;
  /** The last batch without known prices, and the balance that it was released at. */
  #last: { released: number; available: number } | undefined;
  /** What one of the last batch seems to have cost. */
  #estimate: number | undefined;
  /** Since when nobody was woken or refused, in milliseconds since the epoch. */
  #quietSince: number | undefined;
  /** How many have tried in a row, and come back. */
  #tries = 0;
  /** Whether the one that tries is on its way. */
  #isTrying = false;

  constructor(entries: readonly GateEntry[] = [], pace?: LookPace) {
    this.#pace = pace;
    for (const [workflowId, parkId, runId, parkedSince, price, baseline, refused] of entries) {
      this.#put({ workflowId, parkId, runId, parkedSince, price, baseline, refused: refused === 1 });
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether more may follow soon. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The shortest of those that were asked for. */
  get pace(): LookPace | undefined {
    return this.#pace;
  }

  /** In the order in which they have been without credits. */
  parked(): Parked[] {
    return [...this.#entries.values()].sort((a, b) => a.parkedSince - b.parkedSince);
  }

  entries(): GateEntry[] {
    return this.parked().map(toEntry);
  }

  /** One that is known already is brought up to date. Where there is no room, it looks after itself. */
  park({ pace, ...parked }: ParkedGeneration): void {
    const { workflowId, parkId, runId = null, parkedSince, price = null, baseline = null } = parked;
    const known = this.#entries.get(parkId);
    this.#pace = this.#pace === undefined ? pace : shorter(this.#pace, pace);
    if (known === undefined && parked.refused === true) {
      this.#close();
      this.#refusedAt = baseline ?? -Infinity;
      this.#quietSince = undefined;
    }
    const refused = parked.refused === true;
    const lowest = known?.baseline ?? baseline;
    this.#put({ workflowId, parkId, runId, parkedSince, price, baseline: lowest, refused });
  }

  leave(parkId: string): void {
    const known = this.#entries.get(parkId);
    if (known === undefined) return;
    this.#entries.delete(parkId);
    this.#bytes -= bytesOf(known);
  }

  /** A submit of this workspace was accepted: what was refused at this balance may try again. */
  open(): void {
    this.#tries = 0;
    this.#forgive();
  }

  #forgive(): void {
    this.#isOpen = true;
    this.#refusedAt = -Infinity;
    for (const entry of this.#entries.values()) entry.refused = false;
  }

  /**
   * Takes out, in order, those that may submit again at this balance; not all at once.
   *
   * @param now milliseconds since the epoch
   */
  release(available: number, now: number): Parked[] {
    if (this.#isTrying) this.#forgive(); // it has not come back
    this.#isTrying = false;
    const woken = this.#admit(available);
    if (woken.length > 0) this.#tries = 0;
    const tries = woken.length === 0 ? this.#tryOne(available, now) : undefined;
    if (tries !== undefined) woken.push(tries);
    if (woken.length > 0) this.#quietSince = now;
    return woken;
  }

  /** The one at the head, where the balance would do and nobody was woken for a while. */
  #tryOne(available: number, now: number): Parked | undefined {
    this.#quietSince ??= now;
    const [head] = this.parked();
    if (head === undefined || available <= 0 || (head.price ?? 0) > available) return undefined;
    const pauses = Math.min(TRIED_AFTER.most, TRIED_AFTER.first * 2 ** this.#tries);
    if (now - this.#quietSince < pauses * (this.#pace?.max ?? USUAL_PAUSE)) return undefined;
    this.#tries += 1;
    this.#isTrying = true;
    this.leave(head.parkId);
    return head;
  }

  #admit(available: number): Parked[] {
    const woken: Parked[] = [];
    const batch = this.#nextBatch(available);
    let left = available;
    let unknown = 0;
    let isBlocked = false;
    for (const entry of this.parked()) {
      const { price, refused } = entry;
      const baseline = Math.min(entry.baseline ?? available, available);
      const hasGrown = available > baseline;
      const isAdmitted =
        price === null
          ? left > 0 &&
            unknown < Math.max(batch, hasGrown ? 1 : 0) &&
            available > this.#refusedAt &&
            (hasGrown || (this.#isOpen && !refused))
          : unknown === 0 && price <= left && (baseline < price || hasGrown || (this.#isOpen && !refused));
      // What is left of the balance is for the one at the head.
      isBlocked ||= !isAdmitted || woken.length === MOST_AT_ONCE;
      if (isBlocked) {
        entry.baseline = baseline;
        continue;
      }
      left -= price ?? 0;
      if (price === null) unknown += 1;
      this.leave(entry.parkId);
      woken.push(entry);
    }
    this.#last = unknown === 0 ? undefined : { released: unknown, available };
    if (unknown > 0) {
      this.#isOpen = true;
      this.#refusedAt = -Infinity;
      this.#batch = Math.min(MOST_AT_ONCE, this.#batch * 2);
    } else if (woken.length === 0) this.#close();
    return woken;
  }

  /** How many without a known price may go. */
  #nextBatch(available: number): number {
    const last = this.#last;
    if (last !== undefined && available < last.available)
      this.#estimate = (last.available - available) / last.released;
    // The last ones have not been charged yet: that they are not refused says little.
    if (last !== undefined && available === last.available) return 1;
    return this.#estimate === undefined
      ? this.#batch
      : Math.min(this.#batch, Math.floor(available / this.#estimate));
  }

  #close(): void {
    this.#isOpen = false;
    this.#isTrying = false;
    this.#batch = 1;
  }

  #put(entry: Parked): void {
    this.leave(entry.parkId);
    const bytes = bytesOf(entry);
    if (this.#bytes + bytes > MOST_BYTES) return;
    this.#bytes += bytes;
    this.#entries.set(entry.parkId, entry);
  }
}

function toEntry({ workflowId, parkId, runId, parkedSince, price, baseline, refused }: Parked): GateEntry {
  return [workflowId, parkId, runId, parkedSince, price, baseline, refused ? 1 : 0];
}

/** A balance may get longer while it waits. */
function bytesOf(entry: Parked): number {
  return jsonBytes(toEntry({ ...entry, baseline: null })) + 20;
}

function shorter(a: LookPace, b: LookPace): LookPace {
  return {
    initial: Math.min(a.initial, b.initial),
    factor: Math.min(a.factor, b.factor),
    max: Math.min(a.max, b.max),
  };
}
