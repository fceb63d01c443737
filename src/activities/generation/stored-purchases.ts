import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { fieldDigests, withTemplate } from '../../api/input/field-digests.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { UNREADABLE } from '../../contract/tasks/submit-task.ts';
import { outputFolder, taskIdIn } from '../../outputs/output-key.ts';
import { triedAgain, triedFor } from '../../policy/patience.ts';
import type { ActivityDeps } from '../deps.ts';
import { unclaimedLike } from '../unclaimed-tasks/unclaimed-like.ts';
import type { CheckedSubmit } from './check-submit.ts';
import type { EarlierSearch } from './earlier-purchases.ts';
import { getTask } from './get-task.ts';
import { knownTasks } from './known-tasks.ts';

/** What cannot be read is tried again after this (milliseconds). */
const RECHECK = 2_000;
const UNCLAIMED =
  'a task of the same input came after the time to which Temporal was restored, and no run holds it';

/**
 * What the store tells that this workflow id has bought, after Temporal's database was restored from an older dump: files
 * lie under workflow and task id. Tasks that Temporal knows of are left to `findEarlierPurchase`. Where the store tells
 * nothing, a task may have shown itself since by its events: `unclaimed-tasks/<workspace>` knows it then. Without the
 * setting it costs one comparison.
 *
 * A stored task that may be another purchase (its input differs), whose record is gone, or that cannot be read for
 * `policy.vanished.wait`, is a doubt: a person decides.
 *
 * @param search kept from attempt to attempt
 * @throws a retryable ApplicationFailure while the store, a record or visibility cannot be read
 */
export async function findStoredPurchase(
  deps: ActivityDeps,
  request: CheckedSubmit,
  search: EarlierSearch,
): Promise<SubmitTaskResult | undefined> {
  const { restoredSince: since } = deps;
  if (since === undefined || request.resolvedUnknowns?.includes(since) === true) return undefined;
  try {
    const found = await readStored(deps, request, since);
    if (found !== undefined) return typeof found === 'string' ? doubtOf(found, since) : found;
    const shown = await unclaimedLike(deps, request, since);
    const { runId } = Context.current().info.workflowExecution ?? {};
    const known = await knownTasks(deps.temporal, shown, runId);
    // It may still run, or files of it were never stored: the run puts in a claim, as after a lost answer.
    const isShown = shown.some((taskId) => !known.has(taskId));
    return isShown ? { kind: 'unknown', reason: UNCLAIMED, since } : undefined;
  } catch (error) {
    const why = `what this workflow id has bought cannot be read now: ${error instanceof Error ? error.message : String(error)}`;
    search.stored = triedAgain(search.stored, Date.now(), RECHECK);
    if (triedFor(search.stored) >= request.vanished.wait) return doubtOf(why, since);
    throw ApplicationFailure.create({
      type: UNREADABLE,
      message: why,
      nextRetryDelay: RECHECK,
    });
  }
}

function doubtOf(reason: string, since: number): SubmitTaskResult {
  return { kind: 'unknown', reason, since, stored: true };
}

/** @returns the task to take over, or why a person is to decide */
async function readStored(
  deps: ActivityDeps,
  { workspace, model, input, templateId, settledTaskIds }: CheckedSubmit,
  since: number,
): Promise<SubmitTaskResult | string | undefined> {
  const { workflowId = '', runId } = Context.current().info.workflowExecution ?? {};
  const files = await deps.store.list(outputFolder({ workspace, workflowId }));
  const lately = files.filter(({ storedAt }) => storedAt >= since).sort((a, b) => b.storedAt - a.storedAt);
  const taskIds = new Set(lately.map(({ key }) => taskIdIn(key)));
  let doubt = taskIds.has(undefined)
    ? 'the store has files of a task of this workflow id whose names do not tell its id'
    : undefined;
  const settled = new Set(settledTaskIds);
  const open = [...taskIds].filter((taskId) => taskId !== undefined).filter((taskId) => !settled.has(taskId));
  const known = await knownTasks(deps.temporal, open, runId);
  const sent = { model, inputs: [withTemplate(fieldDigests(input), templateId)] };
  for (const taskId of open) {
    if (known.has(taskId)) continue;
    const report = await getTask(deps, { taskId, workspace, sent });
    if (report.kind === 'unavailable') throw new Error(`the record of task ${taskId}: ${report.reason}`);
    if (report.kind === 'not-found') {
      doubt ??= `the store has files of task ${taskId}, which the API does not know`;
      continue;
    }
    if (endedInVain(report.status)) continue;
    const differs = (report.differs ?? []).filter((field) => field !== 'seed' || input['seed'] !== undefined);
    if (report.isAsSent || differs.length === 0)
      return { kind: 'accepted', taskId, usage: report.usage, adopted: true };
    doubt ??= `the store has files of task ${taskId}, which has another ${differs.join(', ')}`;
  }
  return doubt;
}
