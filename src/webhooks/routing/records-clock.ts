import QuickLRU from 'quick-lru';
import { parseTimestamp } from '../../api/records/timestamp.ts';
import { taskKey, type WorkspaceTask } from '../../contract/tasks/workspace-task.ts';

/** Submits whose tasks no event has told of yet: the first event of a task comes soon. At least; up to twice as many. */
const REMEMBERED = 1_000;
/** How many tasks tell it, the latest ones. */
const MAX_KEPT = 16;
/** A clock that is further from the other one tells nothing that can be used (milliseconds). */
const MAX_DIFFERENCE = 24 * 60 * 60_000;

/**
 * The clock that writes a task's creation is another machine's than the one that dates the API's answers, and may be
 * behind it. That is learned from what is certain: this process has submitted a task and got its answer, and its record
 * says that it was created before that submit began. When an event came tells nothing. Every task tells a little too
 * little, a slow submit more so; so the largest of the latest counts, which is also that of the worst of several machines.
 */
export class RecordsClock {
  readonly #began = new QuickLRU<string, number>({ maxSize: REMEMBERED });
  readonly #latest: number[] = [];

  /** @param began when the submit of that task began, in milliseconds since the epoch by the clock that dates answers */
  submitted(task: WorkspaceTask, began: number): void {
    this.#began.set(taskKey(task), began);
  }

  /** @param createdAt as an event tells it (ISO 8601) */
  told(task: WorkspaceTask, createdAt: unknown): void {
    const key = taskKey(task);
    const began = this.#began.get(key);
    if (began === undefined || typeof createdAt !== 'string') return;
    this.#began.delete(key);
    const behind = began - parseTimestamp(createdAt);
    if (!(Math.abs(behind) < MAX_DIFFERENCE)) return;
    this.#latest.push(behind);
    if (this.#latest.length > MAX_KEPT) this.#latest.shift();
  }

  /** How far it is behind at least, in milliseconds; 0: not as far as anybody knows. */
  get behind(): number {
    return Math.max(0, ...this.#latest);
  }
}
