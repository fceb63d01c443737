import { type Client, WorkflowFailedError } from '@temporalio/client';
import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import { ROW_MEMO, type RowLook, type RowToLookAt } from '../../contract/batch.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { DarkroomState } from '../../contract/search-attributes.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { goesOn } from '../goes-on.ts';
import { endedBefore } from '../parents/ended-before.ts';
import { stillRunning } from '../parents/still-running.ts';

type RowEnded = Extract<RowLook, { kind: 'ended' }>;

/** So many are asked about at the same time. */
const AT_ONCE = 20;

/**
 * What there is of a row's pipeline. It never waits, so it holds no slot.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs: Temporal looks again, later and later
 */
export async function lookAtRow(client: Client, { workflowId, digest, wait }: RowToLookAt): Promise<RowLook> {
  const run = await describeRun(client, workflowId);
  if (run === undefined) return { kind: 'missing' };
  if (run.type !== 'pipeline' || run.memo?.[ROW_MEMO] !== digest) return { kind: 'different' };
  if (run.closeTime !== undefined) {
    const end = await endOf(client, workflowId, run.runId);
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
export async function surveyRows(
  client: Client,
  rows: readonly Omit<RowToLookAt, 'wait'>[],
): Promise<RowLook[]> {
  const found: RowLook[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    found.push(...(await Promise.all(some.map((row) => lookAtRow(client, { ...row, wait: false })))));
    goesOn();
  }
  return found;
}

async function endOf(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<Omit<RowEnded, 'startedAt'>> {
  try {
    const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
    const { status, usage, charged } = (await handle.result()) as PipelineResult; // the workflow's own result type
    return { kind: 'ended', isCompleted: status === 'COMPLETED', usage, charged };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const details = stepFailure(error.cause).details as { usage?: Usage; charged?: Usage } | null; // if it has told any
    const { usage = NO_USAGE, charged = NO_USAGE } = details ?? {};
    return { kind: 'ended', isCompleted: false, usage, charged };
  }
}
