import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import { whyNotOurs } from '../../contract/entities/task-notices.ts';
import type { Judgement, TaskToJudge } from '../../contract/tasks/task-look.ts';
import { readHistories } from '../../temporal/earlier-histories.ts';
import { holdersOf } from '../../temporal/visibility-query.ts';
import type { ReadTask } from '../account/payers.ts';
import type { ApiAccess } from '../api-access.ts';
import type { ActivityDeps } from '../deps.ts';
import { takeTaskName } from '../unclaimed-tasks/take-task-names.ts';
import { getTask } from './get-task.ts';
import { readPurchases } from './purchases.ts';

type Deps = ApiAccess &
  Pick<ActivityDeps, 'models' | 'normalized' | 'payers' | 'temporal' | 'taskQueue' | 'log'>;

/**
 * Whether a task that a run was told of may be its own, by one GET, by who holds it, and by its name; short and idempotent.
 * Never throws.
 */
export async function judgeTask(deps: Deps, task: TaskToJudge): Promise<Judgement> {
  const { taskId, workspace, sent, takeFor, paidBy, facts } = task;
  const report = await getTask(deps, task);
  if (report.kind === 'not-found')
    return { kind: 'again', reason: 'the API does not know it', forSome: true };
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const heldBy = await otherHolder(deps.temporal, taskId, workflowId);
  if (heldBy !== undefined) return { kind: 'useless', heldBy };
  if (report.kind === 'unavailable') return { kind: 'again', reason: report.reason };
  const { isAsSent, differs = [], status, usage } = report;
  if (!isAsSent) return { kind: 'useless', differs };
  if (endedInVain(status)) {
    // Nobody looks at it again.
    const ended = { workspace, model: sent.model, workflowId, taskId, credits: usage.total, facts };
    if (paidBy !== undefined) void tellEnd(deps, { ...ended, paidBy }, runId);
    return { kind: 'useless' };
  }
  if (takeFor === undefined) return { kind: 'of use', usage };
  const name = await takeTaskName(deps, { taskId, workflowId, runId, firstRunId: takeFor });
  if (name.kind === 'ours') return { kind: 'of use', usage };
  return { kind: 'again', reason: whyNotOurs(name), ...(name.kind === 'other' ? { forSome: true } : {}) };
}

/**
 * Tells the end of a task that a lost submit of the run may have bought: one that an earlier run has bought is none. Never
 * throws: where that cannot be told, what is reserved for the submit stays so.
 */
async function tellEnd(
  { temporal, payers, log }: Pick<ActivityDeps, 'temporal' | 'payers' | 'log'>,
  task: ReadTask,
  runId: string,
): Promise<void> {
  const { workflowId, taskId } = task;
  try {
    const { earlier } = await readHistories(temporal, { workflowId, runId }, (events) =>
      readPurchases(events).taskIds.includes(taskId),
    );
    if (!earlier.includes(true)) payers.ended(task);
  } catch (error) {
    log.warn(
      { err: error, workflowId, taskId },
      'no account is told how a task has ended: nobody can tell whose it is',
    );
  }
}

/** Undefined, too, where visibility cannot tell now: whoever decides about the task has looked at it. */
async function otherHolder(client: Client, taskId: string, own: string): Promise<string | undefined> {
  const query = holdersOf([taskId]);
  if (query === undefined) return undefined;
  try {
    for await (const { workflowId } of client.workflow.list({ query })) {
      if (workflowId !== own) return workflowId;
    }
  } catch {
    return undefined;
  }
  return undefined;
}
