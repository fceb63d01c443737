import { listErrors } from '../../api/input/mistakes.ts';
import { unsent } from '../../client/files/map-files.ts';
import type { ClientConfig } from '../../config/client-config.ts';
import type { PipelineCheck } from '../../contract/activities.ts';
import { checkOrdered } from '../../contract/checks/check-generation.ts';
import { checkPipelineRequest } from '../../contract/checks/check-pipeline.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../policy/policy.ts';
import { RequestRefused } from '../failures/request-refused.ts';

/**
 * What the workflow would refuse is refused here, before anything is started. Workspaces are the worker's to know.
 *
 * @throws RequestRefused
 */
export function checkGeneration(given: GenerationRequest, { models }: ClientConfig): void {
  const request = unsent(given);
  const mistakes = [
    ...checkOrdered(request, { models }),
    ...parsePolicy(request.policy, DEFAULT_POLICY).errors,
  ];
  if (mistakes.length > 0) throw new RequestRefused(listErrors(mistakes, 'input'));
}

/** @throws RequestRefused */
export function checkPipeline(
  given: PipelineRequest,
  { models }: ClientConfig,
): Extract<PipelineCheck, { ok: true }> {
  const request = unsent(given);
  const { workspace = DEFAULT_WORKSPACE } = request;
  const check = checkPipelineRequest(request, { models, workspaces: new Map([[workspace, {}]]) });
  if (!check.ok) throw new RequestRefused(check.errors);
  return check;
}
