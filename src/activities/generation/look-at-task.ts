import { Context } from '@temporalio/activity';
import { assetsAt, outputAssets } from '../../api/records/output-assets.ts';
import { plainUsage } from '../../api/records/usage.ts';
import { MAX_DATA_BYTES } from '../../contract/limits.ts';
import type { LookRequest, StoreReport, TaskLook } from '../../contract/tasks/task-look.ts';
import type { ActivityDeps } from '../deps.ts';
import { storeData, storeTaskOutputs } from './store-outputs.ts';

/**
 * One GET of a task's record; where the task is completed, its files are stored in the same step. As a local activity
 * (`storeWithin` is set) it costs one event, and leaves what takes longer to an ordinary one, which asks for the record
 * anew: the URLs in it may expire. Never throws for what the API, a file's server or the store says.
 */
export async function lookAtTask(deps: ActivityDeps, request: LookRequest): Promise<TaskLook> {
  const { taskId, workspace, timeout } = request;
  const access = deps.workspaces.get(workspace);
  if (access === undefined) {
    const reason = `workspace ${workspace} is not configured on this worker`;
    return { kind: 'unavailable', code: 'NO_KEY', reason };
  }
  const answer = await deps.api.getGeneration(taskId, access, timeout);
  deps.lookouts.heard(workspace, taskId, answer.kind);
  if (answer.kind === 'unavailable') {
    deps.troubles.failed('reads', { workspace, ...answer, who: taskId });
    return answer;
  }
  deps.troubles.worked('reads', workspace, taskId);
  if (answer.kind === 'not-found') {
    const everything = await deps.lookouts.isEverythingGone(workspace, (other) =>
      deps.api.getGeneration(other, access, timeout).then(({ kind }) => kind),
    );
    return { kind: 'not-found', ...(everything ? { everything } : {}) };
  }
  const { status, usage, data = null, code = null, message = null } = answer.record;
  const cost = { usage: plainUsage(usage) };
  if (status === 'IN_QUEUE' || status === 'IN_PROGRESS')
    return { kind: 'open', ...cost, outlook: deps.outlooks.of(request) };
  if (request.end !== undefined) deps.outlooks.ended(request, request.end);
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const { model, paidBy, facts } = request;
  if (paidBy !== undefined)
    deps.payers.ended({ workspace, model, workflowId, taskId, credits: usage.total, facts, paidBy });
  if (status !== 'COMPLETED') return { kind: 'ended', status, code, message, ...cost };
  return { kind: 'completed', ...cost, files: await storeFiles(deps, request, data) };
}

async function storeFiles(deps: ActivityDeps, request: LookRequest, data: unknown): Promise<StoreReport> {
  const { taskId, workspace, storeWithin } = request;
  const named = outputAssets(data);
  const assets = named.length > 0 ? named : assetsAt(request.artifacts ?? []);
  // Media are usually in the event of the end as well, and may be there alone.
  const mayBeTold = !request.told && deps.workspaces.get(workspace)?.takesWebhooks === true;
  const none = { kind: 'delayed', reason: 'its record names no file', url: null } as const;
  if (assets.length === 0) return mayBeTold ? none : { ...none, none: true };
  const { workflowExecution: { workflowId = '' } = {}, isLocal } = Context.current().info;
  const where = { workspace, workflowId, taskId };
  // A file that may have ended a worker is left to a look whose end the workflow gets to know.
  const mayBeLeft = storeWithin === 0 || !isLocal || deps.takeovers.has(where);
  const isLeft = storeWithin !== undefined && mayBeLeft;
  if (isLeft) return { kind: 'delayed', reason: 'its files are left to a look of their own', url: null };
  const report = await storeTaskOutputs(deps, { ...where, assets }, storeWithin);
  if (report.kind !== 'stored') return report;
  if (Buffer.byteLength(JSON.stringify(data)) <= MAX_DATA_BYTES) return { ...report, data };
  const stored = await storeData(deps, where, data);
  return 'dataUri' in stored ? { ...report, ...stored, data: null } : stored;
}
