import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { describeGeneration } from '../../client/describe-start.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { StartedWith } from '../../temporal/started-with.ts';
import { UsageError } from '../failures/usage-error.ts';
import type { Session } from '../session.ts';

/**
 * Runs a generation again under its own id. A running one is reset to its first workflow task; a closed one gets a
 * new run that is told of the earlier. Both adopt what was bought: nothing is paid twice.
 */
export async function rerunGeneration(
  { temporal }: Session,
  workflowId: string,
  { runId, request }: StartedWith,
): Promise<void> {
  const { status, taskQueue } = await temporal.workflow.getHandle(workflowId, runId).describe();
  if (status.name === 'RUNNING') {
    await reset(temporal, workflowId, runId);
    return;
  }
  const again: GenerationRequest = { ...(request as GenerationRequest), earlierRun: runId }; // a generation's argument
  await temporal.workflow.start('generation', {
    workflowId,
    taskQueue,
    args: [again],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { fairnessKey: (again.workspace ?? 'default').slice(0, 64) },
    ...describeGeneration(again),
  });
}

async function reset(temporal: Client, workflowId: string, runId: string): Promise<void> {
  const { namespace } = temporal.options;
  const { events } = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  const first = events?.find(({ workflowTaskCompletedEventAttributes: completed }) => completed)?.eventId;
  if (first === undefined || first === null) {
    throw new UsageError(
      `${workflowId} has not begun yet: there is nothing to run again (is a worker running?)`,
    );
  }
  await temporal.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: first,
    reason: 'starter rerun',
    requestId: randomUUID(),
  });
}
