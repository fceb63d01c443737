import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { TaskNotice } from '../contract/entities/task-notices.ts';
import { taskCreatedSignal } from '../contract/messages.ts';
import { signalEntity } from './signal-entity.ts';
import { toUnclaimedTasks } from './unclaimed-tasks.ts';

/** Milliseconds for a signal, with the client's own retries. */
const TIMEOUT = 5_000;
/** Between two signals to one workspace, in milliseconds: what comes meanwhile goes together. */
const PAUSE = 500;
/** Tasks in one signal, and their bytes: a run takes 10,000 signals, and its history 50 MB. */
const MAX_TASKS = 200;
const MAX_BYTES = 60_000;

interface Waiting {
  notice: TaskNotice;
  end: PromiseWithResolvers<void>;
}

/**
 * Tells `unclaimed-tasks/<workspace>` of tasks that no workflow is known to hold: one signal at a time for each
 * workspace. The first goes at once; in a busy workspace most are foreign, and hundreds of them share a signal.
 */
export class TaskHandOver {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #timeout: number;
  readonly #pause: number;
  /** By workspace; while one is here, somebody sends for it. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(
    client: Client,
    taskQueue: string,
    { timeout = TIMEOUT, pause = PAUSE }: { timeout?: number | undefined; pause?: number } = {},
  ) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.#timeout = timeout;
    this.#pause = pause;
  }

  /** Settles when Temporal has taken the task. @throws when Temporal cannot be reached or refuses */
  tell(workspace: string, notice: TaskNotice): Promise<void> {
    const waiting = { notice, end: Promise.withResolvers<void>() };
    const others = this.#waiting.get(workspace);
    if (others === undefined) {
      this.#waiting.set(workspace, [waiting]);
      void this.#sendAll(workspace);
    } else others.push(waiting);
    return waiting.end.promise;
  }

  async #sendAll(workspace: string): Promise<void> {
    for (;;) {
      const waiting = this.#waiting.get(workspace) ?? [];
      const batch = waiting.splice(0, batchSize(waiting));
      if (batch.length === 0) break;
      try {
        await this.#send(
          workspace,
          batch.map(({ notice }) => notice),
        );
        for (const { end } of batch) end.resolve();
      } catch (error) {
        for (const { end } of batch) end.reject(error);
      }
      await delay(this.#pause, undefined, { ref: false });
    }
    this.#waiting.delete(workspace);
  }

  async #send(workspace: string, tasks: TaskNotice[]): Promise<void> {
    const options = toUnclaimedTasks(workspace, this.#taskQueue, taskCreatedSignal, {
      tasks,
      toldAt: Date.now(),
    });
    await this.#client.withDeadline(Date.now() + this.#timeout, () =>
      signalEntity(this.#client, 'unclaimedTasks', options),
    );
  }
}

/** How many of those that wait go in the next signal. */
function batchSize(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const end = waiting.findIndex(({ notice }, index) => {
    bytes += Buffer.byteLength(JSON.stringify(notice));
    return index === MAX_TASKS || (index > 0 && bytes > MAX_BYTES);
  });
  return end === -1 ? waiting.length : end;
}
