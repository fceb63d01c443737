import { condition } from '@temporalio/workflow';
import type { Decision } from '../../contract/generation.ts';
import type { TaskLook } from '../../contract/tasks/task-look.ts';
import { longestPause, pauseBeforeLook } from '../../policy/look-pace.ts';
import { type Patience, triedAgain, triedFor } from '../../policy/patience.ts';
import { formatDuration, summary } from './activities.ts';
import { asked, beginAsking, endAsking } from './ask.ts';
import { continueIfDue, type Stage } from './continue.ts';
import type { Steps } from './generation.ts';
import { type Look, look } from './look.ts';
import type { HeldTask } from './run.ts';

type EndedTask = Extract<TaskLook, { kind: 'completed' | 'ended' }>;

/** How the wait for a task ended. */
export type WaitEnd = { settledBy: 'webhook' | 'poll' } & (
  | { kind: 'settled'; look: EndedTask }
  /** `unread`: since when its record could not be read, and why. */
  | { kind: 'overdue'; unread?: string }
  /** `decision`: a person's, where one was asked. */
  | { kind: 'vanished'; decision?: Decision }
);

/** What a run has come to while it waited for a task; the one that goes on in its place begins there. */
export interface Waited {
  /** Polls that have settled nothing. */
  quietPolls: number;
  /** How long the API has not known the task. */
  missing?: Patience | undefined;
  /** Since when its record could not be read, in milliseconds since the epoch, and why. */
  unread?: { since: number; reason: string; times: number } | undefined;
  /** How long GETs after the deadline have not been answered. */
  late?: Patience | undefined;
}

/** A terminal event whose record is not terminal yet is looked at again this soon, at most (milliseconds). */
const EARLY_EVENT_RECHECK = 2_000;
/** After so many looks in a row that told nothing people are to see it; at once where only a person can end it. */
const SHOWN_FROM = 3;
const ENDED_BY_PEOPLE: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NO_KEY']);
/** Of a task that this run has not submitted, or whose record is in doubt. */
const NO_OUTLOOK = { webhooks: false };
/** How long the last GET is tried for while it is not answered, in longest polling intervals. */
const LAST_GETS = 3;

/**
 * Waits for a task's terminal record. A webhook's signal, the next poll and the deadline are one wait; whatever
 * ends it, one GET decides. Before the run gives up there is one last GET, which has to be answered: the deadline
 * may have passed while no worker was there to look.
 *
 * @param deadlineAt milliseconds since the epoch
 * @param asking why an earlier run has asked a person about the task
 */
export async function waitForRecord(
  steps: Steps,
  { task, deadlineAt, asking, waited }: Omit<Extract<Stage, { kind: 'wait' }>, 'kind'>,
): Promise<WaitEnd> {
  const { run, inbox, plan } = steps;
  const { polling, vanished, deadline } = plan.policy;
  const { taskId } = task;
  let { quietPolls, missing, unread, late }: Waited = waited ?? { quietPolls: 0 };
  // An adopted task may have ended long ago: it is looked at at once.
  let pause = task.adopted && waited === undefined ? 0 : pauseNow();
  /** The task's age when a look last found it open. */
  let openAt: number | undefined;
  /** How many of the events of the task's end were looked at, and when the last ones came. */
  let seen = 0;
  let newsAt = -EARLY_EVENT_RECHECK;
  if (asking !== undefined) {
    const end = await askAboutTask(steps, { task, deadlineAt }, asking);
    const settledBy = inbox.endsOf(taskId) > 0 ? 'webhook' : 'poll';
    if (end !== 'it is back') return { kind: 'vanished', settledBy, ...end };
  }
  run.enter('waiting');
  for (;;) {
    await continueIfDue(steps, {
      kind: 'wait',
      task,
      deadlineAt,
      waited: { quietPolls, missing, unread, late },
    });
    const now = Date.now();
    const nextAt = late === undefined ? Math.min(now + pause, deadlineAt) : now + pause;
    const until = Math.min(nextAt, (missing?.since ?? Infinity) + vanished.wait);
    run.nextPollAt = until;
    // Whoever knows the task's id can send events without end: they wake the run, but not all the time.
    const wakes = now - newsAt >= EARLY_EVENT_RECHECK;
    const hinted = (): boolean => wakes && inbox.endsOf(taskId) > seen;
    if (until > now) {
      await condition(() => hinted() || inbox.lookRequested, until - now, {
        summary: summary(`next poll of ${taskId} in ${formatDuration(until - now)}`),
      });
    }
    inbox.lookRequested = false;
    const news = hinted();
    if (news) newsAt = Date.now();
    seen = inbox.endsOf(taskId);
    const last = Date.now() >= deadlineAt;
    const told = inbox.endsOf(taskId) > 0;
    const end = { age: age(), told, ...(openAt === undefined ? {} : { openAt }) };
    const how = unread === undefined ? 'soon' : 'record';
    const found = await look(steps, taskId, how, task.adopted ? undefined : end);
    inbox.looks += 1;
    const settledBy = inbox.endsOf(taskId) > 0 ? 'webhook' : 'poll';
    if (found.kind === 'completed' || found.kind === 'ended') {
      task.usage = found.usage;
      run.tell(undefined);
      return { kind: 'settled', look: found, settledBy };
    }
    const held = judge(found);
    if (held === 'vanished') {
      const end = await askAboutVanished(steps, { task, deadlineAt }, found);
      if (end !== 'it is back') return { kind: 'vanished', settledBy, ...end };
      missing = undefined;
    }
    if (last) {
      late = triedAgain(late, Date.now(), pause);
      if (found.kind === 'open' || triedFor(late) >= LAST_GETS * longestPause(polling))
        return { kind: 'overdue', settledBy, ...(unread === undefined ? {} : { unread: whyUnread(unread) }) };
    }
    if (pause > 0) quietPolls += 1;
    pause = pauseNow();
    if (news) pause = Math.min(pause, EARLY_EVENT_RECHECK);
    if (found.kind === 'unavailable') pause = Math.max(pause, found.retryAfter ?? 0);
  }

  function age(): number {
    return Date.now() - (deadlineAt - deadline);
  }

  function pauseNow(): number {
    // No webhook is relied on where one has come before its record, or the record is gone or cannot be read.
    const isTold = inbox.endsOf(taskId) > 0;
    const isDoubtful = isTold || missing !== undefined || unread !== undefined || late !== undefined;
    const outlook = isDoubtful ? NO_OUTLOOK : (task.outlook ?? NO_OUTLOOK);
    return pauseBeforeLook(polling, outlook, { looks: quietPolls, age: age() });
  }

  /** Takes in a look that has not settled the task. */
  function judge(found: Exclude<Look, EndedTask>): 'vanished' | undefined {
    if (found.kind === 'not-found') {
      unread = undefined;
      missing = triedAgain(missing, Date.now(), pause);
      run.tell(`the API does not know task ${taskId}; trying for ${formatDuration(vanished.wait)}`);
      return triedFor(missing) >= vanished.wait ? 'vanished' : undefined;
    }
    missing = undefined;
    if (found.kind === 'open') {
      unread = undefined;
      openAt = age();
      if (found.outlook !== undefined) task.outlook = found.outlook;
      run.enter('waiting');
      // A record that is not settled may not tell its price yet.
      if (found.usage.total > 0) task.usage = found.usage;
    } else {
      const { since = Date.now(), times = 0 } = unread ?? {};
      unread = { since, reason: found.reason, times: times + 1 };
      const note = `cannot read the record: ${found.reason}`;
      const isShown =
        unread.times >= SHOWN_FROM || (found.kind === 'unavailable' && ENDED_BY_PEOPLE.has(found.code));
      if (isShown) run.stumble('record cannot be read', note);
      else run.tell(note);
    }
    return undefined;
  }
}

/**
 * A task that the API does not know any more. Where other tasks of the workspace are gone as well, nobody buys again
 * by himself, whatever the policy says: it is the key or the API. While a person is asked, the run goes on looking.
 *
 * @returns what a person has decided, if one was asked
 */
async function askAboutVanished(
  steps: Steps,
  held: Held,
  found: Look,
): Promise<{ decision?: Decision } | 'it is back'> {
  const { run, plan } = steps;
  const { taskId } = held.task;
  const everything = found.kind === 'not-found' && found.everything === true;
  if (plan.policy.reconcile.otherwise !== 'ask' && !everything) return {};
  const note = everything
    ? `the API no longer knows task ${taskId}, nor others of workspace ${run.workspace}: check its API key and DARKROOM_API_URL. The run goes on when the task is there again`
    : `the API no longer knows task ${taskId}`;
  return await askAboutTask(steps, held, note);
}

/** A task and its deadline, in milliseconds since the epoch. */
interface Held {
  task: HeldTask;
  deadlineAt: number;
}

/** Asks a person about a task that is gone, for that reason, and goes on looking. */
async function askAboutTask(
  steps: Steps,
  { task, deadlineAt }: Held,
  note: string,
): Promise<{ decision: Decision } | 'it is back'> {
  const { run, inbox, plan } = steps;
  beginAsking(steps, note);
  try {
    for (;;) {
      await continueIfDue(steps, { kind: 'wait', task, deadlineAt, asking: note });
      await condition(
        () => inbox.decision !== undefined || inbox.lookRequested,
        longestPause(plan.policy.polling),
        {
          summary: asked(note),
        },
      );
      if (inbox.decision !== undefined) return { decision: inbox.decision };
      inbox.lookRequested = false;
      const again = await look(steps, task.taskId, 'record');
      inbox.looks += 1;
      if (again.kind === 'open' || again.kind === 'completed' || again.kind === 'ended') return 'it is back';
    }
  } finally {
    endAsking(steps);
    run.state = 'waiting';
  }
}

function whyUnread({ since, reason }: { since: number; reason: string }): string {
  return `its record could not be read since ${new Date(since).toISOString()}: ${reason}`;
}
