import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { GenerationRequest } from '../../contract/generation.ts';
import { decode, readHistory, readStart } from '../history.ts';
import { type Condition, type ListedRun, listRunPage } from '../list-runs.ts';
import { AccountBill } from './account-bill.ts';
import { lateBillOf } from './late-bill.ts';
import { type BilledTask, billOfRun, mergeBills, readTags } from './run-bill.ts';

/** Runs that are read at most, and histories at once. */
const MOST_RUNS = 20_000;
const AT_ONCE = 10;
const PAGE = 1_000;

export interface Bill {
  /** Those that were bought since then. */
  tasks: BilledTask[];
  /** What the same runs had bought before. */
  earlier: BilledTask[];
  /** How many runs were read, and whether there are more. */
  runs: number;
  isCut: boolean;
}

/**
 * What generations of a task queue have bought since a time, each task once: from the histories of the runs that were
 * open by then or are, what `unclaimed-tasks/<workspace>` has learned of their lost submits, and what accounts were told of
 * those that the server has deleted.
 *
 * @param since milliseconds since the epoch
 */
export async function readBill(client: Client, taskQueue: string, since: number): Promise<Bill> {
  const of: Condition[] = [
    ['TaskQueue', '=', taskQueue],
    ['WorkflowType', 'IN', 'generation', 'unclaimedTasks', 'account'],
  ];
  const next = pLimit(AT_ONCE);
  const found: BilledTask[] = [];
  const accounts = new AccountBill();
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
      found.push(...(await Promise.all(some.map((run) => next(() => billOf(client, run, accounts))))).flat());
      isCut ||= some.length < page.runs.length || accounts.isFull;
      from = page.next ?? undefined;
    } while (from !== undefined && !isCut);
  }
  const tasks = await Promise.all(
    accounts
      .complete(mergeBills([found]), since)
      .map(async (task) =>
        task.isLate === true ? await next(() => withTags(client, task, accounts)) : task,
      ),
  );
  const isEarlier = ({ at }: BilledTask): boolean => at < since;
  return {
    tasks: tasks.filter((task) => !isEarlier(task)),
    earlier: tasks.filter(isEarlier),
    runs,
    isCut,
  };
}

/** Nothing of a run whose retention has ended just now. */
async function billOf(
  client: Client,
  { workflowId, runId, type }: ListedRun,
  accounts: AccountBill,
): Promise<BilledTask[]> {
  const events = await readHistory(client, workflowId, runId);
  if (events === undefined) return [];
  if (type === 'generation') return billOfRun({ workflowId, runId }, events);
  if (type === 'unclaimedTasks') return lateBillOf(events);
  accounts.read(events);
  return [];
}

/** With the tags of its generation, as far as that or an account still tells them. */
async function withTags(client: Client, task: BilledTask, accounts: AccountBill): Promise<BilledTask> {
  // Anybody can put in a claim, of a run that no server takes for one.
  const start = await readStart(client, task.workflowId, task.runId).catch(() => undefined);
  const [request] = decode<[Partial<GenerationRequest>]>(start?.input);
  return { ...task, tags: readTags(request?.tags ?? accounts.tagsOf(task.workflowId)) };
}
