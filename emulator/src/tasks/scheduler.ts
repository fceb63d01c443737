import type { Model } from '../../../src/api/models/define-model.ts';
import type { Assumptions } from '../assumptions.ts';
import { draw } from '../faults/draw.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type Fate, isTerminal, type StoredOutput, type Task, type Tasks } from './tasks.ts';

/** Timers hold at most this many milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** How a rendering ended. `failed` carries the task's code, with its prefix. */
export type RenderOutcome =
  | { kind: 'rendered'; outputs: StoredOutput[]; extra: Record<string, unknown> }
  | { kind: 'failed'; code: string; message: string };

export interface Pace {
  /** 1: as slow as the real thing; 100: a hundred times faster. */
  speed: number;
  /** Exact times in milliseconds, instead of realistic ones divided by `speed`. */
  durations: { queue?: number | undefined; run?: number | undefined };
  seed: number;
}

interface Parts {
  tasks: Tasks;
  lifecycle: Lifecycle;
  /** Makes a task's files. */
  render: (task: Task) => Promise<RenderOutcome>;
}

/** When a task of the model that is accepted now starts and finishes (ms since the epoch). */
export function dueTimes(
  model: Model,
  taskId: string,
  now: number,
  pace: Pace,
  assumptions: Assumptions,
): { startDue: number; finishDue: number } {
  const [shortest, longest] = assumptions.queueTime;
  const queue = shortest + (longest - shortest) * draw(pace.seed, taskId, 'queue');
  const spread = 1 + assumptions.runTimeSpread * (2 * draw(pace.seed, taskId, 'run') - 1);
  const startDue = now + (pace.durations.queue ?? queue / pace.speed);
  const run = pace.durations.run ?? (model.typicalSeconds * 1000 * spread) / pace.speed;
  return { startDue, finishDue: startDue + run };
}

/**
 * Moves tasks from the queue into progress and on to what their fate is, each at its time. Rendering begins
 * with progress and is part of the running time: a task finishes when both are over.
 */
export class Scheduler {
  readonly #parts: Parts;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes over a task: a new one, or one that an earlier process left unfinished. */
  take(task: Task): void {
    if (isTerminal(task) || task.vanished) return;
    if (task.fate.kind === 'vanish' && task.fate.when === 'accepted') this.#parts.lifecycle.vanish(task);
    else if (task.status === 'IN_QUEUE') this.#at(task, task.startDue, () => this.#start(task));
    else this.#run(task);
  }

  /** Changes what becomes of an unfinished task, and when: by force, from outside. */
  force(task: Task, fate: Fate, due: { start?: number; finish?: number } = {}): void {
    task.fate = fate;
    task.startDue = due.start ?? task.startDue;
    task.finishDue = due.finish ?? task.finishDue;
    this.#parts.tasks.save(task);
    this.drop(task);
    this.take(task);
  }

  /** Leaves a task alone from now on. */
  drop(task: Task): void {
    clearTimeout(this.#timers.get(task.id));
    this.#timers.delete(task.id);
  }

  dropAll(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  close(): void {
    this.#closed = true;
    this.dropAll();
  }

  #start(task: Task): void {
    if (!this.#parts.lifecycle.start(task)) return;
    if (task.fate.kind === 'vanish' && task.fate.when === 'started') this.#parts.lifecycle.vanish(task);
    else this.#run(task);
  }

  #run(task: Task): void {
    if (task.fate.kind !== 'complete') {
      this.#at(task, task.finishDue, () => this.#end(task));
      return;
    }
    const rendering = this.#parts.render(task);
    this.#at(task, task.finishDue, () => void this.#finish(task, rendering));
  }

  async #finish(task: Task, rendering: Promise<RenderOutcome>): Promise<void> {
    const outcome = await rendering;
    // Meanwhile its fate may have been changed, or the emulator closed: the files are then for nobody.
    if (this.#closed || task.fate.kind !== 'complete' || task.vanished) return;
    if (outcome.kind === 'failed') this.#parts.lifecycle.fail(task, outcome.code, outcome.message);
    else this.#parts.lifecycle.complete(task, outcome.outputs, outcome.extra);
  }

  #end(task: Task): void {
    const { fate } = task;
    if (fate.kind === 'fail') this.#parts.lifecycle.fail(task, fate.code, fate.message);
    else if (fate.kind === 'cancel') this.#parts.lifecycle.cancel(task);
    else if (fate.kind === 'vanish') this.#parts.lifecycle.vanish(task);
  }

  #at(task: Task, due: number, action: () => void): void {
    const wait = Math.min(Math.max(0, due - Date.now()), LONGEST_TIMER);
    const timer = setTimeout(() => {
      this.#timers.delete(task.id);
      // One that was set in a long turn comes early by as much, and what is due in a month needs several.
      if (Date.now() < due) this.#at(task, due, action);
      else action();
    }, wait);
    this.#timers.set(task.id, timer);
  }
}
