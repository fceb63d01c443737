import type { Assumptions } from '../assumptions.ts';
import { Collection, type Keeping } from '../storage/collection.ts';
import type { Attempt, Delivery } from './delivery.ts';

/** How many recent attempts of each endpoint are shown (API specification). */
const SHOWN = 20;

/** All deliveries that are not finished, and the latest finished ones of each endpoint: one for each attempt shown. */
export class DeliveryLog {
  readonly #deliveries: Collection<Delivery>;
  readonly #counts: Assumptions['deliveryLogCounts'];
  /** Ids of finished deliveries by endpoint, oldest first. */
  readonly #finished = new Map<string, string[]>();
  readonly #totals = { created: 0, attempts: 0, success: 0, failed: 0 };

  constructor(keeping: Keeping, counts: Assumptions['deliveryLogCounts']) {
    this.#deliveries = new Collection(keeping, 'deliveries', 'delivery');
    this.#counts = counts;
    for (const delivery of this.#deliveries.values()) if (isFinished(delivery)) this.#remember(delivery);
  }

  /** What an earlier process did not finish. */
  unfinished(): Delivery[] {
    return this.#deliveries.all().filter((delivery) => !isFinished(delivery));
  }

  get(id: string): Delivery | undefined {
    return this.#deliveries.get(id);
  }

  /** There is one more; it is kept with its first `save`. */
  created(): void {
    this.#totals.created += 1;
  }

  /** An attempt is under way. After a restart it is made again, as if it had been waiting. */
  begin(delivery: Delivery): void {
    delivery.state = 'processing';
    delivery.nextAttemptAt = null;
    this.save(delivery);
  }

  attempted(): void {
    this.#totals.attempts += 1;
  }

  save(delivery: Delivery): void {
    this.#deliveries.save(delivery);
  }

  finish(delivery: Delivery, state: 'success' | 'failed'): void {
    delivery.state = state;
    delivery.nextAttemptAt = null;
    this.#totals[state] += 1;
    this.save(delivery);
    this.#remember(delivery);
  }

  /** A finished delivery begins again. False: it is still under way. */
  reopen(delivery: Delivery): boolean {
    if (!isFinished(delivery)) return false;
    const finished = this.#finished.get(delivery.endpointId) ?? [];
    this.#finished.set(
      delivery.endpointId,
      finished.filter((id) => id !== delivery.id),
    );
    return true;
  }

  /**
   * The deliveries of the 20 most recent attempts of each endpoint (or of one), with no attempts but these, newest
   * first by their creation. One that has not been attempted counts as an attempt.
   */
  latest(endpointId?: string): Delivery[] {
    const newest = this.#deliveries.all().reverse();
    const wanted = newest.filter((one) => endpointId === undefined || one.endpointId === endpointId);
    const shown = [...Map.groupBy(wanted, (one) => one.endpointId).values()].flatMap((list) =>
      this.#counts === 'attempts' ? ofLatestAttempts(list) : list.slice(0, SHOWN),
    );
    return shown.toSorted((a, b) => b.createdAt - a.createdAt);
  }

  /** Deliveries so far, and how many wait or are under way now. */
  counts(): Record<'created' | 'attempts' | 'success' | 'failed' | 'pending' | 'processing', number> {
    let pending = 0;
    let processing = 0;
    for (const { state } of this.#deliveries.values()) {
      if (state === 'pending') pending += 1;
      else if (state === 'processing') processing += 1;
    }
    return { ...this.#totals, pending, processing };
  }

  #remember(delivery: Delivery): void {
    const finished = this.#finished.get(delivery.endpointId) ?? [];
    this.#finished.set(delivery.endpointId, finished);
    finished.push(delivery.id);
    if (finished.length <= SHOWN) return;
    this.#deliveries.remove(finished.shift() ?? '');
  }
}

function isFinished({ state }: Delivery): boolean {
  return state === 'success' || state === 'failed';
}

/** @param newest newest first */
function ofLatestAttempts(newest: readonly Delivery[]): Delivery[] {
  const attempts = newest.flatMap((delivery) => {
    const made: readonly (Attempt | undefined)[] =
      delivery.attempts.length > 0 ? delivery.attempts : [undefined];
    return made.map((attempt) => ({ delivery, attempt, at: attempt?.at ?? delivery.createdAt }));
  });
  const latest = attempts.toSorted((a, b) => b.at - a.at).slice(0, SHOWN);
  const shown = new Set(latest.map(({ attempt }) => attempt));
  return newest
    .filter((delivery) => latest.some((one) => one.delivery === delivery))
    .map((delivery) => ({ ...delivery, attempts: delivery.attempts.filter((one) => shown.has(one)) }));
}
