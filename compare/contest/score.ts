import { quantile } from 'simple-statistics';
import type { LedgerCharge, ServiceTask } from '../../test/chaos/emulator-control.ts';
import type { Outcome } from './supervisor.ts';

/** What a competitor made of a level. Counts are of tasks for what was bought, else of orders. */
export interface Score {
  /** Orders: one generation each. */
  generations: number;
  /** Tasks that were charged. */
  bought: number;
  /** Tasks that were charged for an order which had one already that had not failed. */
  boughtTwice: number;
  /** Orders with their picture. */
  results: number;
  /** Orders that were paid for and reported as failed. */
  lost: number;
  /** Orders that were never reported. */
  stuck: number;
  /** Orders that were reported as failed, and for which nothing was paid. */
  failed: number;
  posts: number;
  gets: number;
  /** From the end of the first task of an order to the report of its result, seconds; null without results. */
  delay: { median: number; p95: number } | null;
  /** Billable actions an order; null without Temporal. */
  actions: number | null;
  /** Processor time of the caller's processes an order, milliseconds. */
  cpu: number;
}

export interface Facts {
  orders: readonly number[];
  outcomes: ReadonlyMap<number, Outcome>;
  charges: readonly LedgerCharge[];
  tasks: readonly ServiceTask[];
}

/** The part of a score that follows from the caller's reports and the emulator's books. */
export function scoreOf({
  orders,
  outcomes,
  charges,
  tasks,
}: Facts): Pick<
  Score,
  'generations' | 'bought' | 'boughtTwice' | 'results' | 'lost' | 'stuck' | 'failed' | 'delay'
> {
  const taskById = new Map(tasks.map((task) => [task.id, task]));
  const ofOrder = Map.groupBy(charges, ({ workflow }) => Number(workflow?.split('/')[1]));
  const score = { generations: orders.length, bought: charges.length, boughtTwice: 0 };
  const ends = { results: 0, lost: 0, stuck: 0, failed: 0 };
  const delays: number[] = [];
  for (const order of orders) {
    const bought = ofOrder.get(order) ?? [];
    const good = bought.filter(({ taskId }) => !hasFailed(taskById.get(taskId)));
    score.boughtTwice += Math.max(good.length - 1, 0);
    const outcome = outcomes.get(order);
    if (outcome === undefined) ends.stuck += 1;
    else if (outcome.kind === 'failure') ends[bought.length === 0 ? 'failed' : 'lost'] += 1;
    else {
      ends.results += 1;
      const done = bought.flatMap(({ taskId }) => Date.parse(taskById.get(taskId)?.completedAt ?? '') || []);
      if (done.length > 0) delays.push((outcome.at - Math.min(...done)) / 1_000);
    }
  }
  const delay =
    delays.length === 0
      ? null
      : { median: rounded(quantile(delays, 0.5)), p95: rounded(quantile(delays, 0.95)) };
  return { ...score, ...ends, delay };
}

function hasFailed(task: ServiceTask | undefined): boolean {
  return task?.status === 'FAILED' || task?.status === 'CANCELED';
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
