import { startAgain } from '../../client/start-or-attach.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { LatestRun } from '../../temporal/latest-run.ts';
import { resetPoints, resetRun } from '../../temporal/reset-run.ts';
import { UsageError } from '../failures/usage-error.ts';
import { changeGeneration } from '../request/apply-changes.ts';
import { checkGeneration } from '../request/check-request.ts';
import type { Session } from '../session.ts';

/**
 * Runs a generation again under its own id. A running one is reset to its first workflow task; a closed one gets a
 * new run that is told of the earlier, and may have another policy. Both adopt what was bought: nothing is paid twice.
 *
 * @throws UsageError, RequestRefused
 */
export async function rerunGeneration(
  { config, temporal }: Session,
  workflowId: string,
  {
    runId,
    taskQueue,
    isClosed,
    request: earlier,
  }: LatestRun<GenerationRequest> & { request: GenerationRequest },
  changes: readonly string[],
): Promise<void> {
  const request = changeGeneration(earlier, changes);
  if (isClosed) {
    if (changes.length > 0) checkGeneration(request, config);
    await startAgain(temporal, { kind: 'generation', workflowId, taskQueue, request }, runId);
    return;
  }
  if (changes.length > 0) {
    throw new UsageError(`${workflowId} still runs with its own policy; --set is for one that has ended`);
  }
  const [first] = await resetPoints(temporal, { workflowId, runId });
  if (first === undefined) {
    throw new UsageError(
      `${workflowId} has not begun yet: there is nothing to run again (is a worker running?)`,
    );
  }
  await resetRun(temporal, { workflowId, runId }, first, 'starter rerun');
}
