import { type BookingEnd, RETURNING } from '../../contract/entities/account.ts';

/** So many are counted, the latest, each by the end of its id. */
const MOST = 10_000;
const KEPT_OF_ID = 8;

type List = [run: string, until: number][];

/** The runs whose submits were told to ask again for credits: how many there are says how often each is to ask. */
export class WaitingRuns {
  /** Until when each is waited for (milliseconds since the epoch). */
  readonly #until: Map<string, number>;

  constructor(list: List = []) {
    this.#until = new Map(list);
  }

  get list(): List {
    return [...this.#until];
  }

  /** Tells a submit that is to ask again how many wait. */
  told(runId: string, end: BookingEnd, now: number): BookingEnd {
    if (end.kind === 'busy') return { ...end, waiting: this.#add(runId, now) };
    this.#until.delete(keptOf(runId));
    return end;
  }

  /** @returns how many wait. Who has not asked again in twice the time that it was told has gone */
  #add(runId: string, now: number): number {
    this.#until.delete(keptOf(runId));
    for (const [other, until] of this.#until) {
      if (until > now && this.#until.size < MOST) break;
      this.#until.delete(other);
    }
    const size = this.#until.size + 1;
    this.#until.set(keptOf(runId), now + 2 * Math.max(RETURNING.askedWithin, RETURNING.apart * size));
    return size;
  }
}

function keptOf(runId: string): string {
  return runId.slice(-KEPT_OF_ID);
}
