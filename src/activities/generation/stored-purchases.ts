import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { fieldDigests, withTemplate } from '../../api/input/field-digests.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { outputFolder, taskIdIn } from '../../outputs/output-key.ts';
import { holdersOf } from '../../temporal/visibility-query.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from './check-submit.ts';
import { getTask } from './get-task.ts';

/** What cannot be read is tried again after this (milliseconds). */
const RECHECK = 2_000;

/**
 * What the store tells that this workflow id has bought, after Temporal's database was restored from an older dump: files
 * lie under workflow and task id. Tasks that Temporal knows of are left to `findEarlierPurchase`. Without the setting
 * it costs one comparison.
 *
 * A stored task that may be another purchase (its input differs), or whose record is gone, is a doubt: a person decides.
 *
 * @throws a retryable ApplicationFailure while a record or visibility cannot be read; OutputStoreFailed
 */
export async function findStoredPurchase(
  deps: ActivityDeps,
  request: CheckedSubmit,
): Promise<SubmitTaskResult | undefined> {
  const { restoredSince: since } = deps;
  if (since === undefined || request.resolvedUnknowns?.includes(since) === true) return undefined;
  const { workspace, model, input, templateId } = request;
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const files = await deps.store.list(outputFolder({ workspace, workflowId }));
  const lately = files.filter(({ storedAt }) => storedAt >= since).sort((a, b) => b.storedAt - a.storedAt);
  const doubt = (reason: string): SubmitTaskResult => ({ kind: 'unknown', reason, since });
  let doubtful: string | undefined;
  const settled = new Set(request.settledTaskIds);
  for (const taskId of new Set(lately.map(({ key }) => taskIdIn(key)))) {
    if (taskId === undefined) {
      doubtful ??= 'the store has files of a task of this workflow id whose names do not tell its id';
      continue;
    }
    if (settled.has(taskId) || (await isKnown(deps.temporal, taskId))) continue;
    const sent = { model, fields: withTemplate(fieldDigests(input), templateId) };
    const report = await getTask(deps, { taskId, workspace, sent });
    if (report.kind === 'unavailable') throw notYet(`the record of task ${taskId}`, report.reason);
    if (report.kind === 'not-found') {
      doubtful ??= `the store has files of task ${taskId}, which the API does not know`;
      continue;
    }
    if (endedInVain(report.status)) continue;
    const differs = (report.differs ?? []).filter((field) => field !== 'seed' || input['seed'] !== undefined);
    if (report.isAsSent === true || differs.length === 0)
      return { kind: 'accepted', taskId, usage: report.usage, adopted: true };
    doubtful ??= `the store has files of task ${taskId}, which has another ${differs.join(', ')}`;
  }
  return doubtful === undefined ? undefined : doubt(doubtful);
}

/** Whether a run of whatever id holds the task: then it was not lost. */
async function isKnown(client: Client, taskId: string): Promise<boolean> {
  const query = holdersOf([taskId]);
  if (query === undefined) return false;
  try {
    for await (const _ of client.workflow.list({ query })) return true;
  } catch (error) {
    throw notYet(`who holds task ${taskId}`, String(error));
  }
  return false;
}

function notYet(what: string, why: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'EARLIER_PURCHASE_UNREADABLE',
    message: `the store has files of this workflow id; ${what} cannot be read now: ${why}`,
    nextRetryDelay: RECHECK,
  });
}
