import { condition } from '@temporalio/workflow';
import type { Decision } from '../../contract/generation.ts';
import type { TaskLook } from '../../contract/task-look.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { type Patience, triedAgain, triedFor } from '../../policy/patience.ts';
import { formatDuration, summary } from './activities.ts';
import { asked, beginAsking, endAsking } from './ask.ts';
import { continueIfLong, type Stage } from './continue.ts';
import type { Steps } from './generation.ts';
import { type Look, look } from './look.ts';
import { lookAsIn01 } from './look-0.1.ts';
import type { HeldTask } from './run.ts';

export type EndedTask = Extract<TaskLook, { kind: 'completed' | 'ended' }>;

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
  unread?: { since: number; reason: string } | undefined;
  /** How long GETs after the deadline have not been answered. */
  late?: Patience | undefined;
}

/** A terminal event whose record is not terminal yet is looked at again this soon, at most (milliseconds). */
const EARLY_EVENT_RECHECK = 2_000;
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
  const { polling, vanished } = plan.policy;
  const { taskId } = task;
  const isOld = plan.revision === 1;
  let { quietPolls, missing, unread, late }: Waited = waited ?? { quietPolls: 0 };
  // An adopted task may have ended long ago: it is looked at at once.
  let pause = task.adopted && waited === undefined ? 0 : pollingInterval(polling, quietPolls);
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
    await continueIfLong(steps, {
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
    const wakes = isOld ? seen === 0 : now - newsAt >= EARLY_EVENT_RECHECK;
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
    const found = await (isOld
      ? lookAsIn01(steps, taskId)
      : look(steps, taskId, unread === undefined ? 'soon' : 'record'));
    inbox.looks += 1;
    const settledBy = inbox.endsOf(taskId) > 0 ? 'webhook' : 'poll';
    if (found.kind === 'completed' || found.kind === 'ended') {
      task.usage = found.usage;
      run.tell(undefined);
      return { kind: 'settled', look: found, settledBy };
    }
    const held = judge(found);
    if (held === 'vanished') {
      const end = isOld ? {} : await askAboutVanished(steps, { task, deadlineAt }, found);
      if (end !== 'it is back') return { kind: 'vanished', settledBy, ...end };
      missing = undefined;
    }
    if (last) {
      late = isOld
        ? { since: late?.since ?? Date.now(), lastAt: Date.now() }
        : triedAgain(late, Date.now(), pause);
      if (found.kind === 'open' || triedFor(late) >= LAST_GETS * polling.max)
        return { kind: 'overdue', settledBy, ...(unread === undefined ? {} : { unread: whyUnread(unread) }) };
    }
    if (pause > 0) quietPolls += 1;
    pause = pollingInterval(polling, quietPolls);
    if (news) pause = Math.min(pause, EARLY_EVENT_RECHECK);
    if (found.kind === 'unavailable') pause = Math.max(pause, found.retryAfter ?? 0);
  }

  /** Takes in a look that has not settled the task. */
  function judge(found: Exclude<Look, EndedTask>): 'vanished' | undefined {
    if (found.kind === 'not-found') {
      unread = undefined;
      missing = isOld
        ? { since: missing?.since ?? Date.now(), lastAt: Date.now() }
        : triedAgain(missing, Date.now(), pause);
      run.tell(`the API does not know task ${taskId}; trying for ${formatDuration(vanished.wait)}`);
      return triedFor(missing) >= vanished.wait ? 'vanished' : undefined;
    }
    missing = undefined;
    if (found.kind === 'open') {
      unread = undefined;
      run.tell(undefined);
      // A record that is not settled may not tell its price yet.
      if (found.usage.total > 0) task.usage = found.usage;
    } else {
      unread = { since: unread?.since ?? Date.now(), reason: found.reason };
      run.tell(`cannot read the record: ${found.reason}`);
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
      await continueIfLong(steps, { kind: 'wait', task, deadlineAt, asking: note });
      await condition(() => inbox.decision !== undefined || inbox.lookRequested, plan.policy.polling.max, {
        summary: asked(note),
      });
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
