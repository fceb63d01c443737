import type { TaskSurvey } from '../../contract/activities.ts';
import type { Ownership } from '../../contract/entities/task-notices.ts';
import { CLOCK_TOLERANCE } from '../../contract/limits.ts';
import { SUBMIT_HELD_UP, SUBMITTING_AGAIN } from '../../contract/search-attributes.ts';
import type { ActivityDeps } from '../deps.ts';
import { eachAtOnce } from '../some-at-once.ts';
import { mayOwn, type OwnerDeps, type Run, sameInput } from './may-own.ts';
import type { SurveyedTask } from './task-record.ts';

/** Generations without a task that one survey looks at: beyond, it says that it has not looked at all of them. */
const MAX_SUBMITTING = 2_000;
const PAGE = 500;
/** Of those, the ones of the same input that it asks. */
const MAX_ALIKE = 200;
/** By then visibility lists the run that a Reset, say, has put in the place of one that it has closed (milliseconds). */
const JUST_CLOSED = 10_000;
const MAY_BE_FOLLOWED = "ExecutionStatus IN ('Terminated', 'ContinuedAsNew', 'TimedOut')";

/** Looks for submits in flight that may own one of the open tasks, and writes down which. */
export async function findSubmits(
  deps: OwnerDeps,
  survey: TaskSurvey,
  open: readonly SurveyedTask[],
  owners: Map<string, Ownership>,
): Promise<void> {
  const free = (): SurveyedTask[] => open.filter(({ taskId }) => owners.get(taskId)?.kind === 'free');
  const claiming = new Set(survey.claimants);
  const { runs, isCut } = await submitting(deps, claiming, open);
  let alike = 0;
  await eachAtOnce(runs, async (run) => {
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
  { temporal }: Pick<ActivityDeps, 'temporal'>,
  claiming: ReadonlySet<string>,
  open: readonly SurveyedTask[],
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
