import { startAgain } from '../../client/start-or-attach.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { LatestRun } from '../../temporal/latest-run.ts';
import { resetPoints, resetRun } from '../../temporal/reset-run.ts';
import { UsageError } from '../failures/usage-error.ts';
import type { Session } from '../session.ts';

/**
 * Runs a generation again under its own id. A running one is reset to its first workflow task; a closed one gets a
 * new run that is told of the earlier. Both adopt what was bought: nothing is paid twice.
 */
export async function rerunGeneration(
  { temporal }: Session,
  workflowId: string,
  { runId, taskQueue, isClosed }: LatestRun<unknown>,
  request: GenerationRequest,
): Promise<void> {
  if (isClosed) {
    await startAgain(temporal, { kind: 'generation', workflowId, taskQueue, request }, runId);
    return;
  }
  const [first] = await resetPoints(temporal, { workflowId, runId });
  if (first === undefined) {
    throw new UsageError(
      `${workflowId} has not begun yet: there is nothing to run again (is a worker running?)`,
    );
  }
  await resetRun(temporal, { workflowId, runId }, first, 'starter rerun');
}
