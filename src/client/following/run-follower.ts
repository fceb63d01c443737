import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { pauseAfter } from './away.ts';
import { RunNews } from './run-news.ts';
import { inOwnContext } from './shared-work.ts';

/** Between two looks at least, whatever comes: each is billed (milliseconds). */
const LEAST = 1_000;
/** What a run has to do and no worker begins for so long makes it be asked how it stands (milliseconds). */
const OVERDUE = 5_000;
/** How often it is asked how a run has ended: there is no later look. */
const LAST_TRIES = 4;

const followers = new WeakMap<Client, Map<string, RunFollower<unknown>>>();

/** What is followed: how it stands. */
export interface Looked<Progress> {
  workflowId: string;
  /** Rejects where it is not answered. */
  look: () => Promise<Progress>;
}

/** One who follows a run. Callers must call `leave()`. */
export interface Following<Progress> {
  /** How the run stood last; undefined until it was told. */
  readonly latest: Progress | undefined;
  /** Since when no look was answered, in milliseconds since the epoch; undefined where the last one was. */
  readonly silentSince: number | undefined;
  /** Since when Temporal has not told what is new, in milliseconds since the epoch; undefined while it does. */
  readonly unheardSince: number | undefined;
  /** Settles with the next look, with the signal, or after so many milliseconds. */
  changed: (signal: AbortSignal, within?: number) => Promise<void>;
  /** Settles when the run has ended, and how it stood then is known or not to be had. */
  readonly over: Promise<void>;
  leave: () => void;
}

/**
 * Follows how a run stands, together with all others of the process who follow it: it is asked when its history has
 * news, once for all, and no more often than the one wants who wants it most often, nor than once a second.
 *
 * @param every milliseconds
 */
export function follow<Progress>(client: Client, run: Looked<Progress>, every: number): Following<Progress> {
  const ofClient = followers.get(client) ?? new Map<string, RunFollower<unknown>>();
  followers.set(client, ofClient);
  const there = ofClient.get(run.workflowId);
  // One that has come to its end tells nothing more: the id may run again by now.
  const follower = there === undefined || there.isOver ? new RunFollower(client, run) : there;
  ofClient.set(run.workflowId, follower);
  const leave = follower.join(every);
  return {
    get latest() {
      return follower.latest as Progress | undefined; // an id has one kind of progress
    },
    get silentSince() {
      return follower.silentSince;
    },
    get unheardSince() {
      return follower.unheardSince;
    },
    changed: (signal, within) => follower.changed(signal, within),
    over: follower.over,
    leave: () => {
      if (leave() && ofClient.get(run.workflowId) === follower) ofClient.delete(run.workflowId);
    },
  };
}

class RunFollower<Progress> {
  latest: Progress | undefined;
  silentSince: number | undefined = Date.now();
  unheardSince: number | undefined;
  readonly over: Promise<void>;
  readonly #client: Client;
  readonly #run: Looked<Progress>;
  readonly #gone = new AbortController();
  readonly #paces = new Map<symbol, number>();
  readonly #looks = new EventEmitter<{ look: [] }>().setMaxListeners(0);
  /** Whether there may be something that was not looked at. */
  #news = Promise.withResolvers<void>();
  #hasEnded = false;
  /** When it was asked last, by the clock of this process. */
  #lookedAt = -Infinity;
  /** Asks again what was not answered. */
  #again: NodeJS.Timeout | undefined;
  isOver = false;

  constructor(client: Client, run: Looked<Progress>) {
    this.#client = client;
    this.#run = run;
    this.over = inOwnContext(async () => {
      void this.#listen();
      await this.#lookOn();
    });
  }

  /** @returns leaves, and tells whether nobody follows any more */
  join(every: number): () => boolean {
    const follower = Symbol('follower');
    this.#paces.set(follower, every);
    return () => {
      this.#paces.delete(follower);
      if (this.#paces.size > 0) return false;
      this.#gone.abort();
      return true;
    };
  }

  async changed(signal: AbortSignal, within?: number): Promise<void> {
    if (signal.aborted) return;
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = within === undefined ? undefined : setTimeout(end, within);
    signal.addEventListener('abort', end, { once: true });
    await once(this.#looks, 'look', { signal: over.signal }).catch(() => undefined);
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }

  /** What cannot be read is no news: the run is not asked for it. */
  async #listen(): Promise<void> {
    const { signal } = this.#gone;
    const news = new RunNews(this.#client, this.#run.workflowId);
    let overdue: NodeJS.Timeout | undefined;
    let failures = 0;
    while (!this.#hasEnded && !signal.aborted) {
      try {
        for await (const what of news.read(signal)) {
          failures = 0;
          this.unheardSince = undefined;
          if (what === 'none') continue;
          clearTimeout(overdue);
          if (what === 'done') this.#news.resolve();
          else overdue = setTimeout(() => this.#news.resolve(), OVERDUE).unref();
        }
        this.#hasEnded = !(await this.#goesOn());
        this.#news.resolve();
      } catch {
        failures += 1;
        this.unheardSince ??= Date.now();
        await delay(pauseAfter(failures), undefined, { signal }).catch(() => undefined);
      }
    }
    clearTimeout(overdue);
  }

  /** Whether another run of the id goes on: after a Reset, or as a new one. */
  async #goesOn(): Promise<boolean> {
    const { status } = await this.#client.workflow.getHandle(this.#run.workflowId).describe();
    return status.name === 'RUNNING';
  }

  async #lookOn(): Promise<void> {
    const { signal } = this.#gone;
    signal.addEventListener('abort', () => this.#news.resolve());
    for (let failures = 0, lastTries = 0; ; ) {
      await this.#news.promise;
      await this.#untilDue();
      if (signal.aborted) return;
      const isLast = this.#hasEnded;
      this.#news = Promise.withResolvers<void>();
      const isTold = await this.#look();
      if (isLast && (isTold || (lastTries += 1) >= LAST_TRIES)) {
        this.isOver = true;
        return;
      }
      failures = isTold ? 0 : failures + 1;
      clearTimeout(this.#again);
      // With the next news, or a little later without any.
      if (!isTold) this.#again = setTimeout(this.#news.resolve, pauseAfter(failures)).unref();
    }
  }

  /** Whoever comes meanwhile may want the next look sooner. */
  async #untilDue(): Promise<void> {
    const { signal } = this.#gone;
    for (;;) {
      const pace = this.#hasEnded ? LEAST : Math.max(LEAST, Math.min(...this.#paces.values()));
      const rest = this.#lookedAt + pace - performance.now();
      if (rest <= 0 || signal.aborted) return;
      await delay(Math.min(rest, LEAST), undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<boolean> {
    try {
      this.latest = await this.#run.look();
      this.silentSince = undefined;
      return true;
    } catch {
      this.silentSince ??= Date.now();
      return false;
    } finally {
      this.#lookedAt = performance.now();
      this.#looks.emit('look');
    }
  }
}
