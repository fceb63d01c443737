import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { containsAsSent } from '../../api/contains-as-sent.ts';
import { endedInVain } from '../../api/ended-in-vain.ts';
import { findModel } from '../../api/models/registry.ts';
import { toWire } from '../../api/wire.ts';
import type { OwnerSurvey } from '../../contract/activities.ts';
import { CLOCK_TOLERANCE } from '../../contract/limits.ts';
import { progressQuery } from '../../contract/messages.ts';
import { DarkroomTaskId, SUBMITTING_AGAIN } from '../../contract/search-attributes.ts';
import type { Claim, CreatedTask, Ownership } from '../../contract/unclaimed-tasks.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { holdersOf, visibilityText } from '../../temporal/visibility-query.ts';
import type { ActivityDeps } from '../deps.ts';
import { getTask } from '../generation/get-task.ts';

const { PendingActivityState } = proto.temporal.api.enums.v1;

const SIDE_BY_SIDE = 20;
const MAX_IDS = 200;

/**
 * Finds out who holds each task before it is given away: a workflow that made the id searchable holds it; a
 * generation of the workspace whose submit of the same fields is in flight may be about to.
 *
 * @returns by task id; what is not listed is free
 */
export async function surveyOwners(
  deps: ActivityDeps,
  survey: OwnerSurvey,
): Promise<Record<string, Ownership>> {
  const { temporal } = deps;
  const owners: Record<string, Ownership> = {};
  for (const task of survey.tasks) owners[task.taskId] = { kind: 'free' };
  for (let at = 0; at < survey.tasks.length; at += MAX_IDS) {
    const query = holdersOf(survey.tasks.slice(at, at + MAX_IDS).map(({ taskId }) => taskId));
    if (query === undefined) continue;
    for await (const execution of temporal.workflow.list({ query })) {
      const taskId = execution.typedSearchAttributes.get(DarkroomTaskId);
      if (taskId !== undefined) owners[taskId] = { kind: 'held' };
    }
  }
  const claiming = new Set(survey.claims.map(({ runId }) => runId));
  const submitting: { workflowId: string; runId: string }[] = [];
  const query =
    `WorkflowType = 'generation' AND CloseTime IS NULL AND TaskQueue = ${visibilityText(deps.taskQueue)}` +
    ` AND (DarkroomTaskId IS NULL OR DarkroomState = '${SUBMITTING_AGAIN}')`;
  for await (const { workflowId, runId } of temporal.workflow.list({ query })) {
    if (!claiming.has(runId)) submitting.push({ workflowId, runId });
  }
  const free = (): CreatedTask[] => survey.tasks.filter(({ taskId }) => owners[taskId]?.kind === 'free');
  const next = submitting.values();
  const walk = async (): Promise<void> => {
    for (const execution of next) {
      if (free().length === 0) return;
      Context.current().heartbeat();
      for (const [taskId, found] of await mayOwn(deps, survey.workspace, execution, free()))
        owners[taskId] = found;
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, walk));
  await Promise.all(
    free().map(async ({ taskId }) => {
      owners[taskId] = await stateOf(deps, survey.workspace, taskId);
      Context.current().heartbeat();
    }),
  );
  return owners;
}

/** Whether a task that nobody is known to hold has failed; while its record cannot be read, it is not given away. */
async function stateOf(deps: ActivityDeps, workspace: string, taskId: string): Promise<Ownership> {
  const report = await getTask(deps, { workspace, taskId });
  if (report.kind === 'unavailable') return { kind: 'in flight' };
  const isSpent = report.kind === 'record' && endedInVain(report.status);
  return { kind: isSpent ? 'spent' : 'free' };
}

/** Which of the tasks a generation that holds none yet may be about to get. */
async function mayOwn(
  deps: ActivityDeps,
  workspace: string,
  { workflowId, runId }: { workflowId: string; runId: string },
  tasks: readonly CreatedTask[],
): Promise<[string, Ownership][]> {
  const request = await deps.requests.of(workflowId, runId);
  const model = findModel(request?.model ?? '');
  if (model === undefined || request === undefined || (request.workspace ?? DEFAULT_WORKSPACE) !== workspace)
    return [];
  const { body } = toWire(model, request.input, deps.models[request.model]);
  const alike = tasks.filter(({ input }) => containsAsSent(input, body));
  if (alike.length === 0) return [];
  const handle = deps.temporal.workflow.getHandle(workflowId, runId);
  const { raw } = await handle.describe();
  const submit = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'submitTask');
  if (submit === undefined) {
    // Between two steps: its answer may have just been recorded. One that cannot be asked may own any of them.
    const progress = await handle.query(progressQuery).catch(() => undefined);
    if (progress === undefined) return alike.map(({ taskId }) => [taskId, { kind: 'in flight' }]);
    const held = alike.filter(({ taskId }) => taskId === progress.taskId);
    return held.map(({ taskId }) => [taskId, { kind: 'held' }]);
  }
  // Scheduled, or waiting for its next retry: no POST is in flight.
  if (submit.state === PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED) return [];
  const started = Number(submit.lastStartedTime?.seconds ?? 0) * 1_000;
  return alike
    .filter(({ receivedAt }) => receivedAt >= started - CLOCK_TOLERANCE)
    .map(({ taskId }) => [taskId, { kind: 'in flight' }]);
}

/** Which of the claims belong to runs that have closed. */
export async function closedClaims(client: Client, claims: readonly Claim[]): Promise<string[]> {
  const closed: string[] = [];
  for (const { claimId, workflowId, runId } of claims) {
    Context.current().heartbeat();
    const run = await describeRun(client, workflowId, runId);
    // One whose history is deleted is over, too.
    if (run === undefined || run.closeTime !== undefined) closed.push(claimId);
  }
  return closed;
}
