import { given } from '../../api/json/given.ts';
import { NO_USAGE, usageOf as sumOf, type Usage } from '../../api/records/usage.ts';
import type { Attempt } from '../../contract/generation.ts';
import type { HeldTask } from './stage.ts';
import { newsOf, type State, valueOf } from './state.ts';

const UNKNOWN: Attempt = {
  taskId: null,
  outcome: 'unknown',
  code: null,
  usage: NO_USAGE,
  settledBy: null,
  adopted: false,
};

export function heldTask({ stage }: Pick<State, 'stage'>): HeldTask | undefined {
  if ('wait' in stage) return stage.wait.task;
  return 'task' in stage ? stage.task : undefined;
}

/** The tasks that the run holds, or has held. */
export function ownTasks(state: State): ReadonlySet<string> {
  return new Set(withHeld(state, state.attempts).flatMap((one) => one.taskId ?? []));
}

/** Tasks that others have bought, and that the run holds, or has held, all the same: they are not its own to pay. */
export const foreignTasks = ({ foreign = [] }: State): ReadonlySet<string> => new Set(foreign);

/** The same run, to which a task that it is to hold is foreign, or not. */
export function withForeign(state: State, taskId: string | undefined, foreign: true | undefined): State {
  if (taskId === undefined || foreign === undefined) return state;
  return { ...state, foreign: [...(state.foreign ?? []), taskId] };
}

function withHeld<T>(state: State, attempts: readonly T[]): (T | HeldTask)[] {
  const held = heldTask(state);
  return held === undefined ? [...attempts] : [...attempts, held];
}

/**
 * The attempts, with what those of unknown outcome are proven to have bought, by name; a task that the run itself holds,
 * or has held, proves nothing: it counts once.
 */
function provenAttempts(state: State): Attempt[] {
  const counted = new Set(ownTasks(state));
  return state.attempts.map(({ claimId = '', ...attempt }) => {
    const proof = valueOf(state.heard.proofs, claimId);
    if (proof === undefined || counted.has(proof.taskId)) return attempt;
    const { taskId, usage, outcome = 'unknown' } = proof;
    counted.add(taskId);
    return { ...attempt, taskId, usage, outcome };
  });
}

/** The attempts as they are told: until a proven task has ended its outcome stays unknown, and an unknown one names none. */
export function attemptsOf(state: State): Attempt[] {
  return provenAttempts(state).map((attempt) =>
    attempt.outcome === 'unknown' ? { ...attempt, taskId: null } : attempt,
  );
}

/** What the run answers for: the attempts, and the task that it holds. */
export const accountOf = (state: State): (Attempt | HeldTask)[] => withHeld(state, attemptsOf(state));

/** What the run itself is charged for; what names no task is of a result that it repeats, and is charged there. */
export function chargedTo(state: State, others: ReadonlySet<string>): Usage {
  const tasks = withHeld(state, provenAttempts(state));
  return sumOf(tasks.filter(({ taskId }) => taskId !== null && !others.has(taskId)));
}

export const usageOf = (state: State): Usage => sumOf(accountOf(state));

/** The tasks in its account, the one that it holds last. */
export const tasksOf = (state: State): string[] => accountOf(state).flatMap(({ taskId }) => taskId ?? []);

/** What a task of this generation costs, in credits, where an earlier attempt has shown it. */
export function knownPrice(state: State): number | undefined {
  const prices = attemptsOf(state).flatMap(({ usage }) => (usage.total > 0 ? usage.total : []));
  return prices.length === 0 ? undefined : Math.max(...prices);
}

/** Whether a submit of the run may have bought a task by now. */
export function mayHaveBought({ stage, attempts, resolvedUnknowns }: State): boolean {
  return 'search' in stage || attempts.length > 0 || resolvedUnknowns.length > 0;
}

/** The same run, with how the held task ended on record: it holds none from here on. */
export function settle(
  state: State,
  { taskId, usage, adopted }: HeldTask,
  outcome: Attempt['outcome'],
  code: string | null = null,
): State {
  const settledBy = newsOf(state.heard, taskId) > 0 ? 'webhook' : 'poll';
  const ended: Attempt = { taskId, outcome, code, usage, settledBy, adopted };
  return { ...state, stage: { at: 'submit' }, attempts: [...state.attempts, ended] };
}

/** The same run without what is on record of a task: it is to hold that once more, and a task counts once. */
export function withoutAttempt(state: State, taskId: string): State {
  return { ...state, attempts: state.attempts.filter((attempt) => attempt.taskId !== taskId) };
}

/** A submit that was rejected for good. */
export function reject(state: State, code: string | null): State {
  return { ...state, attempts: [...state.attempts, { ...UNKNOWN, outcome: 'rejected', code }] };
}

/** A submit of which nobody can tell whether it has bought a task. @param claimId absent: any, where none is in doubt yet */
export function doubt(state: State, claimId?: string): State {
  const isThere =
    claimId === undefined
      ? attemptsOf(state).some(({ outcome }) => outcome === 'unknown')
      : state.attempts.some((one) => one.claimId === claimId);
  if (isThere) return state;
  return { ...state, attempts: [...state.attempts, { ...UNKNOWN, ...given({ claimId }) }] };
}

/** The same run, where another submit is in doubt from here on: that of the first claim is done with. */
export function exchangeDoubt(state: State, claimId: string, other: string): State {
  const attempts = state.attempts.map((one) => (one.claimId === claimId ? { ...one, claimId: other } : one));
  return { ...state, attempts };
}
