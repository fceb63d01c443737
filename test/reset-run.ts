import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { resetPoints as pointsOf, resetRun as resetTo } from '../src/temporal/reset-run.ts';

const { RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL: SIGNALS, RESET_REAPPLY_EXCLUDE_TYPE_UPDATE: UPDATES } =
  proto.temporal.api.enums.v1.ResetReapplyExcludeType;

/** The points that a run can be Reset to, oldest first. */
export const resetPoints = (client: Client, workflowId: string, runId: string) =>
  pointsOf(client, { workflowId, runId });

/**
 * Resets a workflow's current run, or the one that is named, to one of its points, whatever state it is in.
 *
 * @param point from 0, the first, to 1, the last
 * @returns when (ms since the epoch); undefined where there is nothing to reset yet
 */
export async function resetRun(
  client: Client,
  workflowId: string,
  point = 0,
  runId?: string,
): Promise<number | undefined> {
  const run = { workflowId, runId: runId ?? (await client.workflow.getHandle(workflowId).describe()).runId };
  const points = await pointsOf(client, run);
  const event = points[Math.min(Math.floor(point * points.length), points.length - 1)];
  if (event === undefined) return undefined;
  const at = Date.now();
  await resetTo(client, run, event, 'a test');
  return at;
}

/** Resets a run to its latest point by then, and leaves out what it is told afterwards. @returns what does so */
export async function resetHere(client: Client, workflowId: string): Promise<() => Promise<unknown>> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const point = (await pointsOf(client, { workflowId, runId })).at(-1);
  if (point === undefined) throw new Error('there is nothing to Reset to');
  return () =>
    client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: point,
      requestId: randomUUID(),
      reason: 'a test',
      resetReapplyExcludeTypes: [SIGNALS, UPDATES],
    });
}
