import type { TaskSurvey } from '../../contract/activities.ts';
import type { Ownership } from '../../contract/entities/task-notices.ts';
import { DarkroomModel, DarkroomTaskId, DarkroomWorkspace } from '../../contract/search-attributes.ts';
import { holdersOf } from '../../temporal/visibility-query.ts';
import type { ActivityDeps } from '../deps.ts';
import { eachAtOnce } from '../some-at-once.ts';
import type { OwnerDeps } from './may-own.ts';
import { findSubmits } from './submits-in-flight.ts';
import { readTask, type SurveyedTask } from './task-record.ts';

const MAX_FIELD_BYTES = 80_000;

type SurveyDeps = OwnerDeps & Pick<ActivityDeps, 'api' | 'workspaces'>;

/**
 * Finds out who holds each task before it is given away: a workflow that made the id searchable holds it; a
 * generation of the workspace whose submit of the same fields is in flight may be about to. What it costs depends on
 * the tasks that are asked about, and on how many generations submit, up to a bound.
 */
export async function surveyTasks(deps: SurveyDeps, survey: TaskSurvey): Promise<Record<string, Ownership>> {
  const { workspace } = survey;
  const owners = new Map<string, Ownership>();
  const held = await holders(deps, workspace, survey.tasks);
  const open: SurveyedTask[] = [];
  await eachAtOnce(survey.tasks, async (task) => {
    const ownership = held.get(task.taskId) ?? (await readTask(deps, workspace, task));
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
  { temporal }: Pick<ActivityDeps, 'temporal'>,
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
