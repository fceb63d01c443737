import { rerunGeneration as runAgain } from '../../client/starting/rerun.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { LatestRun } from '../../temporal/latest-run.ts';
import { changeGeneration } from '../request/apply-changes.ts';
import { checkGeneration } from '../request/check-request.ts';
import type { Session } from '../session.ts';

/**
 * Runs a generation again under its own id, perhaps with another policy.
 *
 * @throws UsageError, RequestRefused, RerunRefusedError
 */
export async function rerunGeneration(
  { config, temporal }: Session,
  workflowId: string,
  earlier: LatestRun<GenerationRequest> & { request: GenerationRequest },
  changes: readonly string[],
): Promise<void> {
  const request = changes.length === 0 ? undefined : changeGeneration(earlier.request, changes);
  if (request !== undefined && earlier.isClosed) checkGeneration(request, config);
  await runAgain(temporal, workflowId, earlier, request);
}
