import { Worker } from 'node:worker_threads';
// Loaded in the main thread first: sharp's native library must outlive every worker thread that uses it.
import 'sharp';
import { UnreadableMediaError } from '../unreadable-media-error.ts';
import type { MediaJob, MediaReply } from './media-job.ts';

interface Waiting {
  job: MediaJob;
  resolve(asset: object): void;
  reject(error: Error): void;
}

/**
 * Threads that render, so that whoever asks can go on answering. Each is started with the first job that finds
 * none idle, up to `threads`; further jobs wait in order. Idle threads keep no process alive.
 */
export class MediaWorkers {
  readonly #threads: number;
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Waiting>();
  readonly #queue: Waiting[] = [];
  #closed = false;

  constructor(threads: number) {
    this.#threads = threads;
  }

  /**
   * Runs one job. Rejects with the renderer's error (its class kept for UnreadableMediaError and RangeError), or
   * with an Error when the pool is closed or the thread dies.
   */
  run(job: MediaJob): Promise<object> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new Error('The media workers are closed'));
        return;
      }
      this.#queue.push({ job, resolve, reject });
      this.#assign();
    });
  }

  /** Stops the threads. Jobs that wait or run are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    const workers = [...this.#idle, ...this.#busy.keys()];
    const unfinished = [...this.#busy.values(), ...this.#queue];
    this.#idle.length = 0;
    this.#queue.length = 0;
    this.#busy.clear();
    for (const waiting of unfinished) waiting.reject(new Error('The media workers were closed'));
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #assign(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idle.pop() ?? (this.#busy.size < this.#threads ? this.#start() : undefined);
      if (worker === undefined) return;
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#busy.set(worker, next);
      worker.ref();
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(next.job);
      } catch (error) {
        // The request holds something that cannot be copied to a thread; the thread itself is fine.
        this.#retire(worker);
        next.reject(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  /** Puts a thread back among the idle ones and gives the job that it had. */
  #retire(worker: Worker): Waiting | undefined {
    const finished = this.#release(worker);
    if (!this.#closed) {
      worker.unref();
      this.#idle.push(worker);
    }
    return finished;
  }

  #start(): Worker {
    // Without this process's own flags: the file needs none, and `--input-type` would even stop it.
    const worker = new Worker(new URL('media-worker.ts', import.meta.url), { execArgv: [] });
    worker.on('message', (reply: MediaReply) => {
      const finished = this.#retire(worker);
      if ('asset' in reply) finished?.resolve(reply.asset);
      else finished?.reject(revive(reply.failure));
      this.#assign();
    });
    // A thread that dies takes its job with it; the next job starts another thread.
    worker.on('error', (error) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.#release(worker)?.reject(new Error(`A media worker failed: ${reason}`, { cause: error }));
    });
    worker.on('exit', () => {
      this.#release(worker)?.reject(new Error('A media worker stopped'));
      const place = this.#idle.indexOf(worker);
      if (place >= 0) this.#idle.splice(place, 1);
      if (!this.#closed) this.#assign();
    });
    return worker;
  }

  #release(worker: Worker): Waiting | undefined {
    const waiting = this.#busy.get(worker);
    this.#busy.delete(worker);
    return waiting;
  }
}

const ERRORS: Readonly<Record<string, new (message: string) => Error>> = { UnreadableMediaError, RangeError };

function revive({
  name,
  message,
  stack,
}: {
  name: string;
  message: string;
  stack: string | undefined;
}): Error {
  const Known = ERRORS[name] ?? Error;
  const error = new Known(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
