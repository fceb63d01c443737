import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { GenerationRequest } from '../../contract/generation.ts';
import { decode, readHistory, readStart } from '../history.ts';
import { type Condition, type ListedRun, listRunPage } from '../list-runs.ts';
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
 * open by then or are, and what `unclaimed-tasks/<workspace>` has learned of their lost submits. What the server has
 * deleted is not in it.
 *
 * @param since milliseconds since the epoch
 */
export async function readBill(client: Client, taskQueue: string, since: number): Promise<Bill> {
  const of: Condition[] = [
    ['TaskQueue', '=', taskQueue],
    ['WorkflowType', 'IN', 'generation', 'unclaimedTasks'],
  ];
  const next = pLimit(AT_ONCE);
  const found: BilledTask[] = [];
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
      found.push(...(await Promise.all(some.map((run) => next(() => billOf(client, run))))).flat());
      from = page.next ?? undefined;
    } while (from !== undefined && !isCut);
  }
  const tasks = await Promise.all(
    mergeBills([found]).map(async (task) =>
      task.isLate === true ? await next(() => withTags(client, task)) : task,
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
async function billOf(client: Client, { workflowId, runId, type }: ListedRun): Promise<BilledTask[]> {
  const events = await readHistory(client, workflowId, runId);
  if (events === undefined) return [];
  return type === 'generation' ? billOfRun({ workflowId, runId }, events) : lateBillOf(events);
}

/** With the tags of its generation, while the server has that. */
async function withTags(client: Client, task: BilledTask): Promise<BilledTask> {
  // Anybody can put in a claim, of a run that no server takes for one.
  const start = await readStart(client, task.workflowId, task.runId).catch(() => undefined);
  const [request] = decode<[Partial<GenerationRequest>]>(start?.input);
  return { ...task, tags: readTags(request?.tags) };
}
