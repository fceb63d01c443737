import { type QueueState, TERMINAL_STATES } from '../../../src/api/generation-record.ts';
import type { Usage } from '../../../src/api/usage.ts';
import type { Changes } from '../storage/changes.ts';
import type { Storage, Table } from '../storage/storage.ts';

/** What will become of a task, decided when it is accepted (and changed by force over the control API). */
export type Fate =
  | { kind: 'complete' }
  | { kind: 'fail'; code: string; message: string }
  | { kind: 'cancel' }
  | { kind: 'hang' }
  | { kind: 'vanish'; when: 'accepted' | 'started' | 'finished' };

/** One produced file: where its bytes are, and what its URL serves. */
export interface StoredOutput {
  fileName: string;
  contentType: string;
  size: number;
  width: number | null;
  height: number | null;
  duration: number | null;
  etag: string;
  /** A file below the media folder, or one of the ready-made tiny ones, with its mark. */
  source:
    | { kind: 'disk'; path: string }
    | { kind: 'tiny'; media: 'image' | 'video' | 'audio'; mark?: string };
}

/** Times are milliseconds since the epoch. */
export interface Task {
  readonly id: string;
  readonly model: string;
  readonly workspace: string;
  /** Normalized, under the names on the wire. */
  readonly input: Record<string, unknown>;
  /** What it is about: its prompt, or the text that is spoken. */
  readonly prompt: string;
  /** How many files it makes. */
  readonly results: number;
  readonly template: { id: string; name: string } | null;
  readonly workflow: string | null;
  readonly seed: number;
  readonly createdAt: number;
  usage: Usage;
  status: QueueState;
  startedAt: number | null;
  completedAt: number | null;
  startDue: number;
  finishDue: number;
  fate: Fate;
  /** Of a failed task. */
  code: string | null;
  message: string | null;
  outputs: StoredOutput[];
  /** Further properties of `data`, e.g. the words' times of speech. */
  extra: Record<string, unknown>;
  /** Gone from outside view: GET answers 404. */
  vanished: boolean;
  /** How often it was asked for. */
  gets: number;
}

const RANK: Readonly<Record<QueueState, number>> = {
  IN_QUEUE: 0,
  IN_PROGRESS: 1,
  COMPLETED: 2,
  FAILED: 2,
  CANCELED: 2,
};

export function isTerminal(task: Task): boolean {
  return TERMINAL_STATES.has(task.status);
}

/** All tasks, oldest first. A task's state only ever moves forward. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();
  readonly #table: Table<Task>;
  readonly #changes: Changes;
  readonly #retained: number;

  constructor(storage: Storage, changes: Changes, retained: number) {
    this.#changes = changes;
    this.#retained = retained;
    this.#table = storage.table('tasks');
    for (const task of this.#table.all()) this.#tasks.set(task.id, task);
  }

  get(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  all(): IterableIterator<Task> {
    return this.#tasks.values();
  }

  get size(): number {
    return this.#tasks.size;
  }

  add(task: Task): void {
    this.#tasks.set(task.id, task);
    this.save(task);
    if (this.#tasks.size > this.#retained) this.#forgetOldest();
  }

  save(task: Task): void {
    this.#table.put(task.id, task);
    this.#changes.announce('task', task.id);
  }

  /**
   * Moves a task on. False, and nothing changed: it would not have been a step forward (API specification,
   * States: a terminal task stays as it is).
   */
  move(task: Task, status: QueueState, now: number): boolean {
    if (RANK[status] <= RANK[task.status]) return false;
    task.status = status;
    if (status === 'IN_PROGRESS') task.startedAt = now;
    else task.completedAt = now;
    return true;
  }

  #forgetOldest(): void {
    for (const task of this.#tasks.values()) {
      if (!isTerminal(task)) continue;
      this.#tasks.delete(task.id);
      this.#table.remove(task.id);
      return;
    }
  }
}
