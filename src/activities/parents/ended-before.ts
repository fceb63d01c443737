import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { EndedBefore } from '../../contract/steps/step-look.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { readStart } from '../../temporal/history.ts';

const FROM_OUTSIDE: ReadonlySet<string> = new Set(['CANCELLED', 'TERMINATED', 'TIMED_OUT']);

/**
 * Of a child that was ended from outside, whether that was before the run of its parent began that asks, which is a Reset:
 * that repeats the end in the history of the new run, which was not the one that it was for.
 */
export async function endedBefore(
  client: Client,
  { status, closedAt }: { status: string; closedAt: number | undefined },
): Promise<EndedBefore> {
  if (closedAt === undefined || !FROM_OUTSIDE.has(status)) return {};
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  const start = await readStart(client, workflowId, runId);
  if (start === undefined || start.originalExecutionRunId === runId) return {};
  const parent = await describeRun(client, workflowId, runId);
  return parent === undefined ? {} : { isBefore: closedAt <= parent.startTime.getTime() };
}
