import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { readHistory } from '../history.ts';
import { type Condition, type ListedRun, listRunPage } from '../list-runs.ts';
import { type BilledTask, billOfRun, mergeBills } from './run-bill.ts';

/** Runs of generations that are read at most, and histories at once. */
const MOST_RUNS = 20_000;
const AT_ONCE = 10;
const PAGE = 1_000;

export interface Bill {
  /** Those that were bought since then. */
  tasks: BilledTask[];
  /** How many runs were read, and whether there are more. */
  runs: number;
  isCut: boolean;
}

/**
 * What generations of a task queue have bought since a time, each task once: from the histories of the runs that were
 * open by then or are. What the server has deleted is not in it.
 *
 * @param since milliseconds since the epoch
 */
export async function readBill(client: Client, taskQueue: string, since: number): Promise<Bill> {
  const of: Condition[] = [
    ['TaskQueue', '=', taskQueue],
    ['WorkflowType', '=', 'generation'],
  ];
  const next = pLimit(AT_ONCE);
  const bills: BilledTask[][] = [];
  let runs = 0;
  let isCut = false;
  const open: Condition = ['ExecutionStatus', '=', 'Running'];
  const closed: Condition = ['CloseTime', '>=', new Date(since).toISOString()];
  for (const condition of [open, closed]) {
    let from: string | undefined;
    do {
      const page = await listRunPage(client, [...of, condition], PAGE, from);
      const some = page.runs.slice(0, MOST_RUNS - runs);
      runs += some.length;
      isCut ||= some.length < page.runs.length;
      bills.push(...(await Promise.all(some.map((run) => next(() => billOf(client, run))))));
      from = page.next ?? undefined;
    } while (from !== undefined && !isCut);
  }
  return { tasks: mergeBills(bills).filter(({ at }) => at >= since), runs, isCut };
}

/** Nothing of a run whose retention has ended just now. */
async function billOf(client: Client, { workflowId, runId }: ListedRun): Promise<BilledTask[]> {
  const events = await readHistory(client, workflowId, runId);
  return events === undefined ? [] : billOfRun({ workflowId, runId }, events);
}
