import type { Client } from '@temporalio/client';
import type { FieldError } from '../../api/field-error.ts';
import { shown } from '../../api/shown.ts';
import type { PipelineCheck } from '../../contract/activities.ts';
import { checkPipelineRequest } from '../../contract/checks/check-pipeline.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import type { ActivityDeps } from '../deps.ts';

/**
 * Whether the workflow that `reuse` names is a pipeline that the server still has. One that is not there has nothing
 * to take over, so everything would be bought without a word.
 *
 * @throws the client's error while Temporal cannot be reached: that tells nothing of the workflow
 */
export async function checkReuse(client: Client, workflowId: string): Promise<FieldError[]> {
  const type = (await describeRun(client, workflowId))?.type;
  if (type === 'pipeline') return [];
  const wrong =
    type === undefined ? 'is no workflow that the server still has' : `is a workflow of type ${type}`;
  const message = `must be the workflow id of an earlier pipeline, but ${shown(workflowId)} ${wrong}; without the field all is bought anew`;
  return [{ path: 'reuse', message }];
}

/** Checks a `pipeline` request whole: what it says, and then whether the server has the pipeline that it reuses. */
export async function checkPipelineWithReuse(request: unknown, deps: ActivityDeps): Promise<PipelineCheck> {
  const check = checkPipelineRequest(request, deps);
  if (!check.ok) return check;
  const { reuse } = request as PipelineRequest; // its shape was checked just now
  if (reuse === undefined) return check;
  const errors = await checkReuse(deps.temporal, reuse);
  return errors.length === 0 ? check : { ok: false, errors };
}
