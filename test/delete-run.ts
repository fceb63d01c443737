import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { RunIds } from '../src/temporal/reset-run.ts';
import { eventually } from './eventually.ts';

/** Deletes all that the server has of a workflow id, as its retention does, and waits until it is gone. */
export async function deleteRuns(client: Client, workflowId: string): Promise<void> {
  for (;;) {
    const run = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      });
    if (run === undefined) return;
    await deleteRun(client, { workflowId, runId: run.runId });
  }
}

/** Deletes one run, which may still be under way, and waits until it is gone. */
export async function deleteRun(client: Client, { workflowId, runId }: RunIds): Promise<void> {
  const { namespace } = client.options;
  await eventually(async () => {
    // A deletion that the server drops, as one that meets another step of the run, is asked for again.
    await client.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })
      .catch(() => undefined);
    const gone = client.workflow.getHandle(workflowId, runId).describe();
    await gone.then(
      () => Promise.reject(new Error(`${workflowId} is still there`)),
      (error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      },
    );
  });
}
