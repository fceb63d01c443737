import { Context } from '@temporalio/activity';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { GenerationResult } from '../../contract/generation.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { outputFolder } from '../../outputs/output-key.ts';
import { triedFor, triedOn } from '../../policy/patience.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from './check-submit.ts';
import type { EarlierSearch } from './earlier-purchases.ts';
import type { Purchases } from './purchases.ts';
import { unreadable } from './unreadable.ts';

/** A task that the API does not know now is asked about again this soon, at most (milliseconds). */
const MISSING_RECHECK = 2_000;

export interface EarlierRun extends Purchases {
  runId: string;
  /** Tasks that it was told of. */
  told: string[];
  /** Tasks that people have had it adopt whatever their input: others may have bought them. */
  given: string[];
}

/** A task of an earlier run that the API answers with 404. */
export interface MissingTask {
  taskId: string;
  /** It has left nothing to take over, but a run may have completed with it. */
  isOver: boolean;
}

/**
 * What follows from tasks that the API does not know, when they were waited for: a run that had completed with one of them
 * is repeated, while its files are there; one that nobody has given up is taken over, and the run's policy says what becomes
 * of it.
 *
 * @throws EARLIER_PURCHASE_UNREADABLE while it is waited for
 */
export async function takeMissing(
  deps: ActivityDeps,
  request: CheckedSubmit,
  runs: readonly EarlierRun[],
  missing: readonly MissingTask[],
  search: EarlierSearch,
): Promise<SubmitTaskResult | undefined> {
  const [first] = missing;
  if (first === undefined) return undefined;
  const { settledTaskIds, resolvedUnknowns = [], vanished } = request;
  const ofUse = missing.flatMap(({ taskId }) => resultWith(runs, taskId) ?? []);
  const open = missing.find(({ taskId, isOver }) => !isOver && endOf(runs, taskId) === undefined);
  // What was given up as vanished is waited for once: a run that has settled something has looked before.
  const hasLooked = settledTaskIds.length + resolvedUnknowns.length > 0;
  const { missing: before } = search;
  if (before !== true && !(hasLooked && open === undefined && ofUse.length === 0)) {
    const tried = before === undefined ? 0 : triedFor(before);
    const pause = Math.min(vanished.wait / 4, Math.max(MISSING_RECHECK, tried / 2));
    search.missing = triedOn(before, Date.now(), pause, vanished.wait);
    if (search.missing !== true) throw unreadable(first.taskId, 'the API does not know it', pause);
  }
  for (const result of ofUse)
    if (await areStored(deps, request.workspace, result)) return { kind: 'completed', result };
  return open === undefined ? undefined : adopted(open.taskId, runs);
}

/** What the runs, newest first, have written down last of a task; undefined: it may be of use. */
export function endOf(runs: readonly EarlierRun[], taskId: string): 'in vain' | 'vanished' | undefined {
  return runs.find(({ taskIds, ends }) => ends.has(taskId) || taskIds.includes(taskId))?.ends.get(taskId);
}

/** The result of a run that has completed with a task. What that has told of its charges it counts itself. */
export function resultWith(
  runs: readonly EarlierRun[],
  taskId: string,
): Omit<GenerationResult, 'charged'> | undefined {
  const { result } = runs.find((run) => run.result?.taskId === taskId) ?? {};
  if (result === undefined) return undefined;
  const { charged: _, ...rest } = result;
  return rest;
}

/** Whether the store still has the files of a result, by their names: it may have moved. */
async function areStored(
  { store }: ActivityDeps,
  workspace: string,
  { outputs, dataUri }: Pick<GenerationResult, 'outputs' | 'dataUri'>,
): Promise<boolean> {
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const files = await store.list(outputFolder({ workspace, workflowId }));
  const there = new Set(files.map(({ key }) => nameIn(store.uriOf(key))));
  const uris = [...outputs.map(({ stored }) => stored.uri), ...(dataUri === undefined ? [] : [dataUri])];
  return uris.every((uri) => there.has(nameIn(uri)));
}

const nameIn = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1);

/** A task whose record cannot be read now. */
export function adopted(taskId: string, runs: readonly EarlierRun[]): SubmitTaskResult {
  const known = runs.flatMap(({ usages }) => usages.get(taskId) ?? []);
  const usage = known.find(({ total }) => total > 0);
  const isGiven = runs.some(({ given }) => given.includes(taskId));
  return {
    kind: 'accepted',
    taskId,
    usage: usage ?? NO_USAGE,
    adopted: true,
    ...(isGiven ? { foreign: true } : {}),
  };
}
