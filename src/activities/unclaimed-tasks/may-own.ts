import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { canComeFrom } from '../../api/input/same-input.ts';
import type { Ownership } from '../../contract/entities/task-notices.ts';
import { CLOCK_TOLERANCE } from '../../contract/limits.ts';
import { progressQuery } from '../../contract/messages.ts';
import { DarkroomTaskId } from '../../contract/search-attributes.ts';
import { type LookedBack, SUBMITS } from '../../contract/tasks/submit-task.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { decode, readHistory } from '../../temporal/history.ts';
import type { ActivityDeps } from '../deps.ts';
import { readPurchases } from '../generation/purchases.ts';
import type { StartedGeneration } from './started-generations.ts';
import type { SurveyedTask } from './task-record.ts';

const { PendingActivityState } = proto.temporal.api.enums.v1;

export type OwnerDeps = Pick<ActivityDeps, 'temporal' | 'taskQueue' | 'generations' | 'normalized'>;

export interface Run {
  workflowId: string;
  runId: string;
}

/** The tasks that a run's submit may have bought, by what it was started with. */
export function sameInput(
  { normalized }: Pick<ActivityDeps, 'normalized'>,
  started: StartedGeneration,
  tasks: readonly SurveyedTask[],
): SurveyedTask[] {
  const takes = normalized.shapeOf(started.model)?.takes;
  return tasks.filter(({ fields }) => canComeFrom(fields, started.fields, takes));
}

/**
 * Which of the tasks a generation that holds none yet may be about to get. One of another deployment that looks for them
 * keeps none from who does, too: whichever of the two gives one away first has taken its name. A proof can wait.
 */
export async function mayOwn(
  deps: OwnerDeps,
  { workflowId, runId, isRerun, workspace }: Run & StartedGeneration,
  alike: readonly SurveyedTask[],
  claiming: ReadonlySet<string>,
): Promise<[string, Ownership][]> {
  const { temporal, taskQueue } = deps;
  const run = await describeRun(temporal, workflowId, runId);
  // Visibility may list one that is deleted.
  if (run === undefined) return [];
  const taskId = run.typedSearchAttributes.get(DarkroomTaskId);
  if (alike.some((task) => task.taskId === taskId))
    return alike.filter((task) => task.taskId === taskId).map((task) => [task.taskId, { kind: 'held' }]);
  if (run.closeTime !== undefined) {
    const later = await describeRun(temporal, workflowId);
    if (later === undefined || later.closeTime !== undefined || claiming.has(later.runId)) return [];
    const started = await deps.generations.of(workflowId, later.runId);
    const own = started?.workspace === workspace ? sameInput(deps, started, alike) : [];
    if (started === undefined || own.length === 0) return [];
    return await mayOwn(deps, { workflowId, runId: later.runId, ...started }, own, claiming);
  }
  const submit = run.raw.pendingActivities?.find(({ activityType }) => SUBMITS.has(activityType?.name ?? ''));
  const all = (ownership: Ownership): [string, Ownership][] => alike.map(({ taskId }) => [taskId, ownership]);
  const untilLookedBack = all({ kind: 'in flight', untilLookedBack: true });
  const firstRunId = run.raw.workflowExecutionInfo?.firstRunId || runId;
  // It looks first what an earlier run has bought, which may be any of them.
  const looksBack = (isRerun || firstRunId !== runId) && !claiming.has(firstRunId);
  if (submit === undefined) {
    // Between two steps: its answer may have just been recorded, or have just got lost, and its claim is on the way. One
    // that cannot be asked may own any of them.
    const handle = temporal.workflow.getHandle(workflowId, runId);
    const progress = await handle.query(progressQuery).catch(() => undefined);
    if (progress === undefined) return all({ kind: 'in flight' });
    const isReconciling = progress.state === 'reconciling';
    if (run.taskQueue !== taskQueue && (isReconciling || progress.state === 'needs a decision'))
      return alike.flatMap(({ taskId, forProof }) => (forProof ? [[taskId, { kind: 'in flight' }]] : []));
    // A Reset's run, or one that goes on as new, whose claim an earlier run has put in.
    if (isReconciling) return claiming.has(firstRunId) ? [] : all({ kind: 'in flight' });
    if (looksBack && progress.state === 'submitting' && progress.attempts.length === 0)
      return untilLookedBack;
    if (progress.state === 'submitting' && (await isInDoubt(temporal, workflowId, runId)))
      return all({ kind: 'in flight' });
    return alike
      .filter((task) => task.taskId === progress.taskId)
      .map((task) => [task.taskId, { kind: 'held' }]);
  }
  if (looksBack && !hasLookedBack(submit)) return untilLookedBack;
  // Scheduled, or waiting for its next retry: no POST is in flight.
  if (submit.state === PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED) return [];
  const started = Number(submit.lastStartedTime?.seconds ?? 0) * 1_000;
  return alike
    .filter(({ arrivedAt }) => arrivedAt >= started - CLOCK_TOLERANCE)
    .map((task) => [task.taskId, { kind: 'in flight' }]);
}

/** Whether its last submit may have bought something: that is so before it looks for it, when its worker was lost. */
async function isInDoubt(temporal: Client, workflowId: string, runId: string): Promise<boolean> {
  // One whose history cannot be read now may have, as one that cannot be asked.
  const events = await readHistory(temporal, workflowId, runId).catch(() => null);
  return (
    events === null || readPurchases(events ?? []).unknownSubmits.some(({ givenUp }) => givenUp !== true)
  );
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** Whether an attempt of a submit has got past the look at what earlier runs have bought. */
function hasLookedBack({ heartbeatDetails }: PendingActivity): boolean {
  const [memory] = decode(heartbeatDetails) as [LookedBack | null | undefined];
  return memory?.lookedBack === true;
}
