import { type QueueState, TERMINAL_STATES } from '../../../src/api/records/generation-record.ts';
import type { Usage } from '../../../src/api/records/usage.ts';
import { Collection, type Keeping } from '../storage/collection.ts';

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
export class Tasks extends Collection<Task> {
  readonly #retained: number;

  /** @param retained how many are kept; beyond that the oldest finished ones are forgotten */
  constructor(keeping: Keeping, retained: number) {
    super(keeping, 'tasks', 'task');
    this.#retained = retained;
  }

  add(task: Task): void {
    this.save(task);
    if (this.size <= this.#retained) return;
    for (const oldest of this.values()) {
      if (!isTerminal(oldest)) continue;
      this.remove(oldest.id);
      return;
    }
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
}
