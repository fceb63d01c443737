import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { fieldDigests } from '../../api/input/field-digests.ts';
import { canComeFrom, differingFields } from '../../api/input/same-input.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import { plainUsage } from '../../api/records/usage.ts';
import { GET_TIMEOUT, LOCAL_TIMEOUT } from '../../contract/limits.ts';
import type { HeldTaskReport, TaskReport, TaskRequest } from '../../contract/tasks/task-look.ts';
import { readHistories } from '../../temporal/earlier-histories.ts';
import { holdersOf } from '../../temporal/visibility-query.ts';
import type { ReadTask } from '../account/payers.ts';
import type { ApiAccess } from '../api-access.ts';
import type { ActivityDeps } from '../deps.ts';
import { onTheWire } from '../unclaimed-tasks/on-the-wire.ts';
import { readPurchases } from './purchases.ts';

type Deps = ApiAccess & Pick<ActivityDeps, 'models' | 'normalized' | 'payers' | 'temporal' | 'log'>;

/** One GET of a task's record; a local activity, because it is idempotent and short. Never throws. */
export async function getTask(deps: Deps, request: TaskRequest): Promise<HeldTaskReport> {
  const { taskId, workspace, holder, sent, paidBy, facts } = request;
  const report = await readTask(deps, request);
  if (report.kind === 'not-found') return report;
  const heldBy = holder === undefined ? undefined : await otherHolder(deps.temporal, taskId);
  if (heldBy !== undefined) return { ...report, heldBy };
  if (report.kind !== 'record' || report.isAsSent !== true || !endedInVain(report.status)) return report;
  // Nobody looks again at one that has ended in vain.
  if (sent !== undefined && paidBy !== undefined) {
    const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
    const credits = report.usage.total;
    const task = { workspace, model: sent.model, workflowId, taskId, credits, facts, paidBy };
    void tellEnd(deps, task, runId);
  }
  return report;
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
async function otherHolder(client: Client, taskId: string): Promise<string | undefined> {
  const query = holdersOf([taskId]);
  if (query === undefined) return undefined;
  const own = Context.current().info.workflowExecution?.workflowId;
  try {
    for await (const { workflowId } of client.workflow.list({ query })) {
      if (workflowId !== own) return workflowId;
    }
  } catch {
    return undefined;
  }
  return undefined;
}

async function readTask(deps: Deps, request: TaskRequest): Promise<TaskReport> {
  const access = deps.workspaces.get(request.workspace);
  if (access === undefined) {
    return {
      kind: 'unavailable',
      code: 'NO_KEY',
      reason: `workspace ${request.workspace} is not configured on this worker`,
    };
  }
  const answer = await deps.api.getGeneration(
    request.taskId,
    access,
    Context.current().info.isLocal ? LOCAL_TIMEOUT : GET_TIMEOUT,
  );
  if (answer.kind !== 'record') return answer;
  const { status, data, usage, code, message } = answer.record;
  const { sent } = request;
  const likeness = sent === undefined ? undefined : compare(deps, answer.record.input, sent);
  return {
    kind: 'record',
    status,
    data: data ?? null,
    usage: plainUsage(usage),
    code: code ?? null,
    message: message ?? null,
    ...likeness,
  };
}

/** Fields that are named. */
const MOST_NAMED = 10;

/** Whether a task is of an input that was sent, by what the API shows. */
export function compare(
  { models, normalized: known }: Pick<ActivityDeps, 'models' | 'normalized'>,
  normalized: unknown,
  { model, inputs }: NonNullable<TaskRequest['sent']>,
): { isAsSent: boolean; differs?: string[] } {
  const shape = known.shapeOf(model);
  const sent = inputs.map((fields) => onTheWire(fields, models[model]));
  const made = fieldDigests(normalized);
  if (shape !== undefined && sent.some((one) => canComeFrom(made, one, shape.takes)))
    return { isAsSent: true };
  const [first = {}] = sent;
  return { isAsSent: false, differs: differingFields(made, first, shape?.takes).slice(0, MOST_NAMED) };
}
