import type { FieldError } from '../../api/field-error.ts';
import { validateInput } from '../../api/validate-input.ts';
import type { ClientConfig } from '../../config/client-config.ts';
import type { PipelineCheck } from '../../contract/activities.ts';
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
export function checkGeneration({ model, input, policy }: GenerationRequest, { models }: ClientConfig): void {
  refuse([...validateInput(model, input, models[model]), ...parsePolicy(policy, DEFAULT_POLICY).errors]);
}

/** @throws RequestRefused */
export function checkPipeline(
  request: PipelineRequest,
  { models }: ClientConfig,
): Extract<PipelineCheck, { ok: true }> {
  const { workspace = DEFAULT_WORKSPACE } = request;
  const check = checkPipelineRequest(request, { models, workspaces: new Map([[workspace, {}]]) });
  if (!check.ok) throw new RequestRefused(check.errors);
  return check;
}

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) throw new RequestRefused(errors);
}
