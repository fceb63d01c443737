import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { startBatch } from '../../src/client/batch/start-batch.ts';
import type { PlannedStart } from './plan.ts';
import { TASK_QUEUE } from './stage.ts';

/** Starts a planned workflow, however long Temporal is away. */
export async function startPlanned(client: Client, start: PlannedStart): Promise<void> {
  if (start.type === 'batch') await untilBatchStarted(client, start);
  else await untilStarted(client, start, 'REJECT_DUPLICATE', start.request);
}

/** Starts one again whose run was terminated: it is told which, so that it adopts what that one has bought. */
export async function startAgain(client: Client, start: PlannedStart, terminated: string): Promise<void> {
  if (start.type === 'batch') await untilBatchStarted(client, start);
  else {
    const request =
      start.type === 'generation' ? { ...start.request, earlierRun: terminated } : start.request;
    await untilStarted(client, start, 'ALLOW_DUPLICATE', request);
  }
}

async function untilBatchStarted(
  client: Client,
  { workflowId, batch }: Extract<PlannedStart, { type: 'batch' }>,
): Promise<void> {
  for (;;) {
    try {
      await startBatch(client, { workflowId, taskQueue: TASK_QUEUE, ...batch });
      return;
    } catch {
      await delay(300);
    }
  }
}

async function untilStarted(
  client: Client,
  { type, workflowId }: PlannedStart,
  workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE',
  request: unknown,
): Promise<void> {
  for (;;) {
    try {
      await client.workflow.start(type, {
        taskQueue: TASK_QUEUE,
        workflowId,
        workflowIdReusePolicy,
        args: [request],
      });
      return;
    } catch (error) {
      // An earlier try may have arrived although its answer did not.
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      await delay(300);
    }
  }
}
