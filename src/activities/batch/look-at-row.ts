import { WorkflowFailedError } from '@temporalio/client';
import { NO_USAGE, plainUsage, type Usage } from '../../api/records/usage.ts';
import { ROW_MEMO, type RowLook, type RowToLookAt } from '../../contract/batch.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { DarkroomState } from '../../contract/search-attributes.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { billBelow } from '../../temporal/bill/bill-below.ts';
import { type BilledTask, usageOf } from '../../temporal/bill/run-bill.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import type { ActivityDeps } from '../deps.ts';
import { goesOn } from '../goes-on.ts';
import { endedBefore } from '../parents/ended-before.ts';
import { stillRunning } from '../parents/still-running.ts';

type Deps = Pick<ActivityDeps, 'api' | 'temporal' | 'workspaces'>;

type RowEnded = Extract<RowLook, { kind: 'ended' }>;

/** So many are asked about at the same time. */
const AT_ONCE = 20;

/**
 * What there is of a row's pipeline. It never waits, so it holds no slot.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs: Temporal looks again, later and later
 */
export async function lookAtRow(deps: Deps, { workflowId, digest, wait }: RowToLookAt): Promise<RowLook> {
  const { temporal: client } = deps;
  const run = await describeRun(client, workflowId);
  if (run === undefined) return { kind: 'missing' };
  if (run.type !== 'pipeline' || run.memo?.[ROW_MEMO] !== digest) return { kind: 'different' };
  if (run.closeTime !== undefined) {
    const end = await endOf(deps, workflowId, run.runId);
    const closedAt = run.closeTime.getTime();
    const isBefore = await endedBefore(client, { status: run.status.name, closedAt });
    return { ...end, startedAt: run.startTime.getTime(), ...isBefore };
  }
  if (!wait) {
    const [state] = [run.searchAttributes[DarkroomState.name]].flat();
    return { kind: 'running', ...(typeof state === 'string' ? { state } : {}) };
  }
  throw stillRunning(workflowId);
}

/** What there is of a page's rows, in their order. */
export async function surveyRows(deps: Deps, rows: readonly Omit<RowToLookAt, 'wait'>[]): Promise<RowLook[]> {
  const found: RowLook[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    found.push(...(await Promise.all(some.map((row) => lookAtRow(deps, { ...row, wait: false })))));
    goesOn();
  }
  return found;
}

async function endOf(deps: Deps, workflowId: string, runId: string): Promise<Omit<RowEnded, 'startedAt'>> {
  try {
    const handle = deps.temporal.workflow.getHandle(workflowId, runId, { followRuns: false });
    const { status, usage, charged } = (await handle.result()) as PipelineResult; // the workflow's own result type
    return { kind: 'ended', isCompleted: status === 'COMPLETED', usage, charged };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const details = stepFailure(error.cause).details as { usage?: Usage; charged?: Usage } | null; // if it has told any
    const { usage, charged = NO_USAGE } = details ?? {};
    return {
      kind: 'ended',
      isCompleted: false,
      usage: usage ?? usageOf(await boughtBelow(deps, workflowId)),
      charged,
    };
  }
}

/** What a row has bought that could not tell it. What its generations have not told the end of, its record does. */
async function boughtBelow({ api, temporal, workspaces }: Deps, workflowId: string): Promise<BilledTask[]> {
  const bill = await billBelow(temporal, workflowId, goesOn);
  const priced: BilledTask[] = [];
  for (const task of bill) {
    const access = task.outcome === undefined ? workspaces.get(task.workspace) : undefined;
    const answer = access && (await api.getGeneration(task.taskId, access, GET_TIMEOUT));
    priced.push(answer?.kind === 'record' ? { ...task, usage: plainUsage(answer.record.usage) } : task);
    goesOn();
  }
  return priced;
}
