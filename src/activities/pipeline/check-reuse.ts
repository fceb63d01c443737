import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { FieldError } from '../../api/field-error.ts';
import { isRecord } from '../../api/is-record.ts';
import { shown } from '../../api/shown.ts';
import type { PipelineCheck } from '../../contract/activities.ts';
import { checkPipelineRequest, PIPELINE_REVISION } from '../../contract/checks/check-pipeline.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { workspaceOf } from '../../temporal/reuse/same-step.ts';
import type { ActivityDeps } from '../deps.ts';

const NOT_THERE = 'is no workflow that the server still has';

/**
 * Whether the workflow that `reuse` names is a pipeline that the server still has. One that is not there has nothing
 * to take over, so everything would be bought without a word.
 *
 * @throws the client's error while Temporal cannot be reached: that tells nothing of the workflow
 */
export async function checkReuse(client: Client, workflowId: string): Promise<FieldError[]> {
  const type = (await describeRun(client, workflowId))?.type;
  if (type === 'pipeline') return [];
  return unusable(workflowId, type === undefined ? NOT_THERE : `is a workflow of type ${type}`);
}

/** A workspace is a wall: a workflow of another one is as good as none. */
async function checkWall(client: Client, { reuse = '', workspace }: PipelineRequest): Promise<FieldError[]> {
  const request: unknown = (await readLatestRun(client, reuse))?.request;
  const isOurs = isRecord(request) && workspaceOf(request) === workspaceOf({ workspace });
  return isOurs ? [] : unusable(reuse, NOT_THERE);
}

function unusable(workflowId: string, why: string): FieldError[] {
  const message = `must be the workflow id of an earlier pipeline, but ${shown(workflowId)} ${why}; without the field all is bought anew`;
  return [{ path: 'reuse', message }];
}

/**
 * Checks a `pipeline` request whole: what it says, and then whether the server has the pipeline that it reuses.
 *
 * @param firstRunId of the pipeline: another than the current one's means that it runs again
 */
export async function checkPipelineWithReuse(
  request: unknown,
  firstRunId: string | undefined,
  deps: ActivityDeps,
): Promise<PipelineCheck> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? {};
  const check = checkPipelineRequest(request, { ...deps, workflowId });
  if (!check.ok) return check;
  const found = {
    ...check,
    ...(firstRunId === undefined || firstRunId === runId ? {} : { runsAgain: true as const }),
  };
  const { reuse } = request as PipelineRequest; // its shape was checked just now
  if (reuse === undefined) return found;
  const wall = await checkWall(deps.temporal, request as PipelineRequest); // as above
  const errors = wall.length > 0 ? wall : await checkReuse(deps.temporal, reuse);
  return errors.length === 0 ? found : { ok: false, revision: PIPELINE_REVISION, errors };
}
