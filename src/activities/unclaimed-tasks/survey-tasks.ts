import type { WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import {
  containsFields,
  type FieldDigests,
  fieldDigests,
  withTemplateOf,
} from '../../api/input/field-digests.ts';
import { canComeFrom } from '../../api/input/same-input.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import type { GenerationRecord, QueueState } from '../../api/records/generation-record.ts';
import { recordFamily } from '../../api/records/record-family.ts';
import { plainUsage } from '../../api/records/usage.ts';
import type { TaskSurvey } from '../../contract/activities.ts';
import type { SubmitProof } from '../../contract/entities/claims.ts';
import type { Ownership } from '../../contract/entities/task-notices.ts';
import { CLOCK_TOLERANCE, GET_TIMEOUT } from '../../contract/limits.ts';
import { progressQuery } from '../../contract/messages.ts';
import {
  DarkroomModel,
  DarkroomTaskId,
  DarkroomWorkspace,
  SUBMIT_HELD_UP,
  SUBMITTING_AGAIN,
} from '../../contract/search-attributes.ts';
import { type LookedBack, SUBMITS } from '../../contract/tasks/submit-task.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { decode } from '../../temporal/history.ts';
import { holdersOf } from '../../temporal/visibility-query.ts';
import type { ActivityDeps } from '../deps.ts';
import { goesOn } from '../goes-on.ts';
import type { StartedGeneration } from './started-generations.ts';

const { PendingActivityState } = proto.temporal.api.enums.v1;

/** Characters of what the API says. */
const MAX_REASON = 300;
const MAX_FIELD_BYTES = 80_000;
const SIDE_BY_SIDE = 20;
/** Generations without a task that one survey looks at: beyond, it says that it has not looked at all of them. */
const MAX_SUBMITTING = 2_000;
const PAGE = 500;
/** Of those, the ones of the same input that it asks. */
const MAX_ALIKE = 200;
/** By then visibility lists the run that a Reset, say, has put in the place of one that it has closed (milliseconds). */
const JUST_CLOSED = 10_000;
const MAY_BE_FOLLOWED = "ExecutionStatus IN ('Terminated', 'ContinuedAsNew', 'TimedOut')";

type SurveyDeps = Pick<
  ActivityDeps,
  'api' | 'workspaces' | 'temporal' | 'taskQueue' | 'generations' | 'normalized'
>;

interface Task {
  taskId: string;
  arrivedAt: number;
  fields: FieldDigests;
}

interface Run {
  workflowId: string;
  runId: string;
}

/**
 * Finds out who holds each task before it is given away: a workflow that made the id searchable holds it; a
 * generation of the workspace whose submit of the same fields is in flight may be about to. What it costs depends on
 * the tasks that are asked about, and on how many generations submit, up to a bound.
 */
export async function surveyTasks(deps: SurveyDeps, survey: TaskSurvey): Promise<Record<string, Ownership>> {
  const { workspace } = survey;
  const owners = new Map<string, Ownership>();
  const held = await holders(deps, workspace, survey.tasks);
  const open: Task[] = [];
  await sideBySide(survey.tasks, async (task) => {
    const ownership = held.get(task.taskId) ?? (await read(deps, workspace, task));
    owners.set(task.taskId, ownership);
    if (ownership.kind === 'free') open.push({ ...task, fields: ownership.fields ?? task.fields });
  });
  if (open.length > 0) await findSubmits(deps, survey, open, owners);
  // Whose answer came meanwhile held nothing at first, and was submitting no more when that was asked: so it is asked last.
  const free = open.filter(({ taskId }) => owners.get(taskId)?.kind === 'free');
  for (const [taskId, ownership] of await holders(deps, workspace, free)) owners.set(taskId, ownership);
  return Object.fromEntries(bounded(owners));
}

/** What is told of other inputs than were asked about, as much as a result may hold: the rest is asked for again. */
function bounded(owners: ReadonlyMap<string, Ownership>): [string, Ownership][] {
  let room = MAX_FIELD_BYTES;
  return [...owners].map(([taskId, ownership]): [string, Ownership] => {
    if (ownership.kind !== 'free' || ownership.fields === undefined) return [taskId, ownership];
    room -= Buffer.byteLength(JSON.stringify(ownership.fields));
    return [taskId, room >= 0 ? ownership : { kind: 'unreadable', reason: 'too much was read at once' }];
  });
}

/** The tasks that a workflow of the workspace, running or closed, has made searchable. */
async function holders(
  { temporal }: SurveyDeps,
  workspace: string,
  tasks: readonly { taskId: string }[],
): Promise<ReadonlyMap<string, Ownership>> {
  const held = new Map<string, Ownership>();
  const query = holdersOf(tasks.map(({ taskId }) => taskId));
  if (query === undefined) return held;
  for await (const { typedSearchAttributes } of temporal.workflow.list({ query })) {
    const taskId = typedSearchAttributes.get(DarkroomTaskId);
    // Workspaces are walls.
    if (taskId === undefined || typedSearchAttributes.get(DarkroomWorkspace) !== workspace) continue;
    const model = typedSearchAttributes.get(DarkroomModel);
    held.set(taskId, { kind: 'held', ...(model === undefined ? {} : { model }) });
  }
  return held;
}

/** What the task's record tells; while it cannot be read, nobody can tell whose it is. */
async function read({ api, workspaces }: SurveyDeps, workspace: string, task: Task): Promise<Ownership> {
  const access = workspaces.get(workspace);
  if (access === undefined)
    return { kind: 'unreadable', reason: `workspace ${workspace} is not configured on this worker` };
  const answer = await api.getGeneration(task.taskId, access, GET_TIMEOUT);
  if (answer.kind === 'unavailable')
    return { kind: 'unreadable', reason: answer.reason.slice(0, MAX_REASON) };
  // The run that gets it waits for its record as for any other's.
  if (answer.kind === 'not-found') return { kind: 'free' };
  return tellOf(answer.record, task);
}

function tellOf(record: GenerationRecord, task: Task): Ownership {
  const { status, input, usage } = record;
  const family = recordFamily(record);
  const outcome = OUTCOMES[status];
  const told = fieldDigests(input);
  const fields = withTemplateOf(task.fields, told);
  const isAsTold = containsFields(fields, task.fields) && containsFields(task.fields, fields);
  return {
    kind: 'free',
    usage: plainUsage(usage),
    ...(outcome === undefined ? {} : { outcome }),
    ...(endedInVain(status) ? { endedWithoutResult: true } : {}),
    ...(family === undefined ? {} : { family }),
    // An answer that was handed over tells of the body that was sent; a record without an input tells nothing.
    ...(isAsTold || Object.keys(told).length === 0 ? {} : { fields }),
  };
}

const OUTCOMES: Partial<Record<QueueState, NonNullable<SubmitProof['outcome']>>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELED: 'canceled',
};

/** Looks for submits in flight that may own one of the open tasks, and writes down which. */
async function findSubmits(
  deps: SurveyDeps,
  survey: TaskSurvey,
  open: readonly Task[],
  owners: Map<string, Ownership>,
): Promise<void> {
  const free = (): Task[] => open.filter(({ taskId }) => owners.get(taskId)?.kind === 'free');
  const claiming = new Set(survey.claimants);
  const { runs, isCut } = await submitting(deps, claiming, open);
  let alike = 0;
  await sideBySide(runs, async (run) => {
    const left = free();
    if (left.length === 0) return;
    const started = await deps.generations.of(run.workflowId, run.runId);
    const own = started?.workspace === survey.workspace ? sameInput(deps, started, left) : [];
    if (started === undefined || own.length === 0) return;
    alike += 1;
    if (alike > MAX_ALIKE) {
      for (const { taskId } of own) owners.set(taskId, { kind: 'in flight', unverified: true });
      return;
    }
    const found = await mayOwn(deps, { ...run, ...started }, own, claiming);
    for (const [taskId, ownership] of found) owners.set(taskId, ownership);
  });
  if (isCut) for (const { taskId } of free()) owners.set(taskId, { kind: 'in flight', unverified: true });
}

/**
 * The generations that hold no task, or are about to hold another one, and were there when one of these came: of every
 * deployment in the namespace, because a workspace may have several.
 */
async function submitting(
  { temporal }: SurveyDeps,
  claiming: ReadonlySet<string>,
  open: readonly Task[],
): Promise<{ runs: Run[]; isCut: boolean }> {
  const latest = new Date(Math.max(...open.map(({ arrivedAt }) => arrivedAt)) + CLOCK_TOLERANCE);
  const from = new Date(Date.now() - JUST_CLOSED);
  const justClosed = `CloseTime >= '${from.toISOString()}' AND ${MAY_BE_FOLLOWED}`;
  const query =
    `WorkflowType = 'generation' AND (CloseTime IS NULL OR (${justClosed}))` +
    ` AND StartTime <= '${latest.toISOString()}'` +
    ` AND (DarkroomTaskId IS NULL OR DarkroomState IN ('${SUBMITTING_AGAIN}', '${SUBMIT_HELD_UP}'))`;
  const runs: Run[] = [];
  for await (const { workflowId, runId } of temporal.workflow.list({ query, pageSize: PAGE })) {
    if (runs.length === MAX_SUBMITTING) return { runs, isCut: true };
    if (!claiming.has(runId)) runs.push({ workflowId, runId });
  }
  return { runs, isCut: false };
}

/** The tasks that a run's submit may have bought, by what it was started with. */
function sameInput({ normalized }: SurveyDeps, started: StartedGeneration, tasks: readonly Task[]): Task[] {
  const takes = normalized.shapeOf(started.model)?.takes;
  return tasks.filter(({ fields }) => canComeFrom(fields, started.fields, takes));
}

/**
 * Which of the tasks a generation that holds none yet may be about to get. What another deployment's run looks for, that
 * one's `unclaimed-tasks` gives away, which has heard of the same tasks: the deployment goes first whose task queue does.
 */
async function mayOwn(
  deps: SurveyDeps,
  { workflowId, runId, isRerun, workspace }: Run & StartedGeneration,
  alike: readonly Task[],
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
  const inFlight = alike.map((task): [string, Ownership] => [task.taskId, { kind: 'in flight' }]);
  const firstRunId = run.raw.workflowExecutionInfo?.firstRunId || runId;
  // It looks first what an earlier run has bought, which may be any of them.
  const looksBack = (isRerun || firstRunId !== runId) && !claiming.has(firstRunId);
  if (submit === undefined) {
    // Between two steps: its answer may have just been recorded, or have just got lost, and its claim is on the way. One
    // that cannot be asked may own any of them.
    const handle = temporal.workflow.getHandle(workflowId, runId);
    const progress = await handle.query(progressQuery).catch(() => undefined);
    if (progress === undefined) return inFlight;
    const isReconciling = progress.state === 'reconciling';
    if (run.taskQueue !== taskQueue && (isReconciling || progress.state === 'needs a decision'))
      return run.taskQueue < taskQueue ? inFlight : [];
    // A Reset's run, or one that goes on as new, whose claim an earlier run has put in.
    if (isReconciling) return claiming.has(firstRunId) ? [] : inFlight;
    if (looksBack && progress.state === 'submitting' && progress.attempts.length === 0) return inFlight;
    return alike
      .filter((task) => task.taskId === progress.taskId)
      .map((task) => [task.taskId, { kind: 'held' }]);
  }
  if (looksBack && !hasLookedBack(submit)) return inFlight;
  // Scheduled, or waiting for its next retry: no POST is in flight.
  if (submit.state === PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED) return [];
  const started = Number(submit.lastStartedTime?.seconds ?? 0) * 1_000;
  return alike
    .filter(({ arrivedAt }) => arrivedAt >= started - CLOCK_TOLERANCE)
    .map((task) => [task.taskId, { kind: 'in flight' }]);
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** Whether an attempt of a submit has got past the look at what earlier runs have bought. */
function hasLookedBack({ heartbeatDetails }: PendingActivity): boolean {
  const [memory] = decode(heartbeatDetails) as [LookedBack | null | undefined];
  return memory?.lookedBack === true;
}

/** Does it for each, some at a time; the heartbeat tells that it goes on. */
async function sideBySide<Item>(items: readonly Item[], look: (item: Item) => Promise<void>): Promise<void> {
  const next = items.values();
  const walk = async (): Promise<void> => {
    for (const item of next) {
      goesOn();
      await look(item);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, walk));
}
