import { ERROR_PREFIX } from '../../api/family.ts';
import type { Decision } from '../../contract/generation.ts';
import type { TaskLook } from '../../contract/tasks/task-look.ts';
import { settle } from './attempts.ts';
import type { AskingAboutTask, HeldTask, SettledBy, Waiting } from './stage.ts';
import { at, planOf, policyOf, type Run, type State } from './state.ts';
import { adopt, fail, followPolicy } from './transitions.ts';

type Ended = Extract<TaskLook, { kind: 'ended' }>;

/** What follows a task that has failed, or was canceled: another one after a pause, or once there are credits, or the end. */
export function afterVain(run: Run, before: State, task: HeldTask, look: Ended, settledBy: SettledBy): State {
  const { taskId } = task;
  if (look.status === 'CANCELED') {
    const state = settle(before, task, 'canceled', { settledBy, code: look.code });
    const how = "was canceled on the API's side";
    const failure = { type: 'TASK_CANCELED', message: `task ${taskId} ${how}` };
    return refuseAnother(run, state, taskId, how) ?? fail(state, failure);
  }
  const code = look.code ?? `${ERROR_PREFIX[planOf(before).family]}_FAILED`;
  const message = look.message ?? `task ${taskId} failed with ${code}`;
  const state = settle(before, task, 'failed', { settledBy, code });
  return (
    refuseAnother(run, state, taskId, `has failed (${message})`) ??
    followPolicy(state, 'task', { type: code, message })
  );
}

export function afterOverdue(state: State, { task, unread }: Waiting, settledBy: SettledBy): State {
  const aside =
    unread &&
    `; its record could not be read since ${new Date(unread.since).toISOString()}: ${unread.reason}`;
  return fail(settle(state, task, 'overdue', { settledBy }), {
    type: 'TASK_OVERDUE',
    message: `task ${task.taskId} has not ended within its deadline${aside ?? ''}; a Reset adopts it if it still does`,
  });
}

/** The API does not know a task that we hold: as with an unknown submit, a person, a resubmit, or the end. */
export function afterVanished(
  run: Run,
  before: State,
  { wait: { task }, settledBy }: Pick<AskingAboutTask, 'wait' | 'settledBy'>,
  decision?: Decision,
): State {
  const { taskId } = task;
  const state = settle(before, task, 'vanished', { settledBy });
  if (decision?.action === 'adopt' && decision.taskId !== undefined) return adopt(state, decision.taskId);
  const action = decision?.action ?? policyOf(state).reconcile.otherwise;
  if (action === 'resubmit') return { ...at(state, { at: 'submit' }), unknowns: 0 };
  return (
    refuseAnother(run, state, taskId, 'is no longer known to the API') ??
    fail(state, { type: 'TASK_VANISHED', message: `the API no longer knows task ${taskId}` })
  );
}

/** Where nothing may be bought, what was taken over and has come to nothing ends the run, with the reason for that. */
function refuseAnother({ request }: Run, state: State, taskId: string, how: string): State | undefined {
  const { adoptOnly } = request;
  if (adoptOnly === undefined) return undefined;
  const message = `task ${taskId}, which was taken over, ${how}; another one: ${adoptOnly.message}`;
  return fail(state, { type: adoptOnly.type, message });
}
