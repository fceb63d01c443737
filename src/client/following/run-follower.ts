import { AsyncResource } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { RunNews } from './run-news.ts';

/** A pause after what was not answered: no worker may be there, or Temporal is away (milliseconds). */
const PAUSE = 2_000;
/** What a run has to do and no worker begins for so long makes it be asked how it stands (milliseconds). */
const OVERDUE = 5_000;
/** How often it is asked how a run has ended: there is no later look. */
const LAST_TRIES = 4;

/** Whoever follows first does so in a context of its own, which may end before that of the next one. */
const outside = new AsyncResource('darkroom.follow');

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
  /** Settles with the next look, with the signal, or after so many milliseconds. */
  changed: (signal: AbortSignal, within?: number) => Promise<void>;
  /** Settles when the run has ended, and how it stood then is known or not to be had. */
  readonly over: Promise<void>;
  leave: () => void;
}

/**
 * Follows how a run stands, together with all others of the process who follow it: it is asked when its history has
 * news, whoever listens, and no more often than the least `every` of them, or two seconds where that is more.
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
  readonly over: Promise<void>;
  readonly #client: Client;
  readonly #run: Looked<Progress>;
  readonly #gone = new AbortController();
  readonly #paces = new Map<symbol, number>();
  readonly #looks = new EventEmitter<{ look: [] }>().setMaxListeners(0);
  /** Whether there may be something that was not looked at. */
  #news = Promise.withResolvers<void>();
  #hasEnded = false;
  isOver = false;

  constructor(client: Client, run: Looked<Progress>) {
    this.#client = client;
    this.#run = run;
    this.over = outside.runInAsyncScope(async () => {
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

  async #listen(): Promise<void> {
    const { signal } = this.#gone;
    const news = new RunNews(this.#client, this.#run.workflowId);
    let overdue: NodeJS.Timeout | undefined;
    while (!this.#hasEnded && !signal.aborted) {
      try {
        for await (const what of news.read(signal)) {
          clearTimeout(overdue);
          if (what === 'done') this.#news.resolve();
          else overdue = setTimeout(() => this.#news.resolve(), OVERDUE).unref();
        }
        this.#hasEnded = !(await this.#goesOn());
      } catch {
        await delay(PAUSE, undefined, { signal }).catch(() => undefined);
      }
      this.#news.resolve();
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
    for (let lastTries = 0; ; ) {
      await this.#news.promise;
      if (signal.aborted) return;
      const isLast = this.#hasEnded;
      this.#news = Promise.withResolvers<void>();
      const isTold = await this.#look();
      if (isLast && (isTold || (lastTries += 1) >= LAST_TRIES)) {
        this.isOver = true;
        return;
      }
      if (!isTold) this.#news.resolve();
      const pause = isTold ? Math.min(...this.#paces.values(), PAUSE) : PAUSE;
      await delay(pause, undefined, { signal }).catch(() => undefined);
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
      this.#looks.emit('look');
    }
  }
}
