import type { Ownership } from '../../contract/entities/task-notices.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { Entry } from './kept-tasks.ts';
import type { Choice, Search } from './matching.ts';

/** Tasks in one survey, and their bytes: an activity's argument. */
const MAX_BATCH = 50;
const MAX_BATCH_BYTES = 60_000;
const MAX_SHOWN_ID = 80;

/** How long a task is left alone before it is looked at again, in milliseconds: more and more, up to the longest. */
const PAUSES = {
  'in flight': { first: 500, longest: 5_000 },
  unreadable: { first: 1_000, longest: 30_000 },
  alike: { first: 500, longest: 10_000 },
} as const;

/** What is known of a task that somebody may get. */
export interface Look {
  state: 'new' | 'in flight' | 'unreadable' | 'alike';
  /** When it is looked at next (ms since the epoch). */
  nextAt: number;
  pause: number;
  /** Since when it waits in this state, in looked time. */
  since: number;
  /** It is kept by a run that has yet to look back. */
  untilLookedBack?: true;
  /** In words for a person whose generation waits for it. */
  why: string;
}

/** The tasks that somebody may get, and when each is looked at next. */
export class Looks {
  readonly #looks = new Map<string, Look>();

  has(taskId: string): boolean {
    return this.#looks.has(taskId);
  }

  entries(): Iterable<[string, Look]> {
    return this.#looks.entries();
  }

  /** When the first is due (ms since the epoch). */
  get firstDue(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { nextAt } of this.#looks.values()) first = Math.min(first, nextAt);
    return first;
  }

  /** Somebody may get it: it is looked at, unless it is under way already. */
  want(taskId: string, at: number): void {
    const look = this.#looks.get(taskId);
    if (look !== undefined && look.state !== 'new') return;
    this.again(taskId, Math.min(at, look?.nextAt ?? at));
  }

  /** It is looked at as if for the first time. */
  again(taskId: string, at: number): void {
    const why = `task ${taskId} may be this one: it is being looked at`;
    this.#looks.set(taskId, { state: 'new', nextAt: at, pause: 0, since: 0, why });
  }

  forget(taskId: string): void {
    this.#looks.delete(taskId);
  }

  /** Why it cannot be given to anybody yet. */
  wait(
    { taskId }: Entry,
    why: Exclude<Ownership, { kind: 'free' | 'held' }> | Extract<Choice<Search>, { kind: 'alike' }>,
    now: number,
    looked: number,
  ): void {
    const before = this.#looks.get(taskId);
    const untilLookedBack = 'untilLookedBack' in why && why.untilLookedBack;
    const goesOn = before?.state === why.kind;
    const { first, longest } = PAUSES[why.kind];
    const pause = goesOn ? Math.min(longest, 1.5 * before.pause) : first;
    this.#looks.set(taskId, {
      state: why.kind,
      nextAt: now + pause,
      pause,
      since: goesOn && !before.untilLookedBack ? before.since : looked,
      ...(untilLookedBack ? { untilLookedBack } : {}),
      why: inWords(taskId, why),
    });
  }

  /** Since when a task has been waiting for an answer in flight, in looked time. */
  blockedSince(taskId: string): number | undefined {
    const look = this.#looks.get(taskId);
    return look?.state === 'in flight' ? look.since : undefined;
  }

  hasten(state: Look['state'], now: number): void {
    for (const look of this.#looks.values()) if (look.state === state) look.nextAt = now;
  }

  /** Those that are due, as many as one survey takes; what `find` does not give is forgotten or put off. */
  take(now: number, find: (taskId: string) => Entry | 'forget' | { later: number }): Entry[] {
    const batch: Entry[] = [];
    let bytes = 0;
    for (const [taskId, look] of this.#looks) {
      if (look.nextAt > now) continue;
      const found = find(taskId);
      if (found === 'forget') this.#looks.delete(taskId);
      else if ('later' in found) look.nextAt = found.later;
      else {
        bytes += jsonBytes(found.fields);
        if (batch.length === MAX_BATCH || (batch.length > 0 && bytes > MAX_BATCH_BYTES)) break;
        batch.push(found);
      }
    }
    return batch;
  }
}

function inWords(
  taskId: string,
  why: Exclude<Ownership, { kind: 'free' | 'held' }> | Extract<Choice<Search>, { kind: 'alike' }>,
): string {
  if (why.kind === 'in flight' && why.keptFor !== undefined)
    return `task ${taskId} may be this one, but it is kept for ${why.keptFor.slice(0, MAX_SHOWN_ID)}`;
  if (why.kind === 'in flight' && why.untilLookedBack)
    return `task ${taskId} may be this one, or that of an equal run which has yet to look at what was bought before it`;
  if (why.kind === 'in flight')
    return `task ${taskId} may be this one, or that of an equal submit whose answer is on its way`;
  if (why.kind === 'unreadable')
    return `task ${taskId} may be this one, but its record cannot be read: ${why.reason.slice(0, 300)}`;
  const names = why.searches.map(
    ({ workflowId, model }) => `${workflowId.slice(0, MAX_SHOWN_ID)} (${model})`,
  );
  return `task ${taskId} fits ${names.join(' and ')} alike`;
}
