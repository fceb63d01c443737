import { Context, log } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { FieldError } from '../../api/input/field-error.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { shown } from '../../api/text/shown.ts';
import type { PipelineCheck } from '../../contract/activities.ts';
import { anyWorker } from '../../contract/checks/any-worker.ts';
import { checkPipelineRequest } from '../../contract/checks/check-pipeline.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { ParentRun } from '../../contract/purchases/parent-run.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { workspaceOf } from '../../temporal/reuse/same-step.ts';
import type { ActivityDeps } from '../deps.ts';
import { lookAtFiles } from '../generation/look-at-files.ts';
import { boughtByEarlierRuns, type Earlier } from '../parents/bought-by-earlier-runs.ts';
import { checkPayers } from './check-payers.ts';
import { deletedPipeline } from './deleted-pipeline.ts';
import { pipelineFiles } from './pipeline-files.ts';

const NOT_THERE = 'is no workflow that the server still has';

/**
 * Whether the workflow that `reuse` names is a pipeline that the server still has, and that has ended. One that is not
 * there has nothing to take over, so everything would be bought without a word; one that runs buys at the same time.
 *
 * @param workspace a wall: a workflow of another one is as good as none
 * @throws the client's error while Temporal cannot be reached: that tells nothing of the workflow
 */
export async function checkReuse(
  client: Client,
  reuse: string,
  workspace: string | undefined,
): Promise<FieldError[]> {
  const run = await readLatestRun(client, reuse);
  const isOurs = isRecord(run?.request) && workspaceOf(run.request) === workspaceOf({ workspace });
  if (run === undefined || !isOurs) return unusable(reuse, NOT_THERE);
  if (run.type !== 'pipeline') return unusable(reuse, `is a workflow of type ${run.type}`);
  return run.isClosed
    ? []
    : unusable(reuse, 'still runs and would buy the same at the same time: let it end, or cancel it');
}

function unusable(workflowId: string, why: string): FieldError[] {
  const message = `must be the workflow id of an earlier pipeline, but ${shown(workflowId)} ${why}; without the field all is bought anew`;
  return [{ path: 'reuse', message }];
}

/**
 * Checks a `pipeline` request whole: what it says, and then whether the store has its files and the server the pipeline
 * that it reuses. One that runs again follows what it has bought, whatever has become of these, and of the configuration:
 * only a step that is still to be bought asks for them.
 *
 * @param firstRunId of the pipeline: another than the current one's means that it runs again
 * @param parent whose histories may tell of an earlier run of the pipeline that is deleted
 */
export async function checkPipelineWithReuse(
  deps: ActivityDeps,
  request: unknown,
  { firstRunId, parent }: { firstRunId: string | undefined; parent: ParentRun | undefined },
): Promise<PipelineCheck> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const isFirst = firstRunId === undefined || firstRunId === runId;
  const earlier = isFirst
    ? await boughtByEarlierRuns(deps.temporal, workflowId, runId).catch((error: unknown): Earlier => {
        // The generations that are there tell.
        log.warn(`cannot tell whether ${workflowId} was started before: ${String(error)}`);
        return 'none';
      })
    : 'may have bought';
  const runsAgain = earlier !== 'none';
  const { workspace, reuse } = (isRecord(request) ? request : {}) as Partial<PipelineRequest>; // each is checked below
  const check = checkPipelineRequest(request, { ...(runsAgain ? anyWorker(workspace) : deps), workflowId });
  if (!check.ok) return check;
  const found = { ...check, ...(earlier === 'none' ? {} : { earlier }) };
  const ended =
    parent === undefined ? undefined : await deletedPipeline(deps, parent, request as PipelineRequest);
  if (ended !== undefined) return { ...found, ended };
  const foreign = await checkPayers(deps.temporal, workflowId, request as PipelineRequest, runsAgain); // its shape was checked just now
  if (foreign.length > 0) return { ok: false, errors: foreign };
  if (runsAgain) return found;
  const files = pipelineFiles(request as PipelineRequest); // as above
  const { errors: missing } = await lookAtFiles(deps, files, workspace);
  if (missing.length > 0) return { ok: false, errors: missing };
  const errors = reuse === undefined ? [] : await checkReuse(deps.temporal, reuse, workspace);
  return errors.length === 0 ? found : { ok: false, errors };
}
