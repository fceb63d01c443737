import { TERMINAL_EVENTS } from '../../api/events/event-types.ts';
import { isTaskId } from '../../api/records/task-id.ts';
import type { TaskGrant } from '../../contract/entities/unclaimed-tasks.ts';
import type { Decision, TaskEvent } from '../../contract/generation.ts';
import type { SubmitName } from '../../contract/tasks/submit-task.ts';
import { readArtifacts } from '../../contract/tasks/task-artifacts.ts';
import type { Carried } from './continue.ts';

/** Of each kind of message so many are kept: anybody may send them, and what is carried on has to fit into a payload. */
const MOST_KEPT = 500;
/** Characters of an id. */
const LONGEST_ID = 200;

/** Of so many tasks the files are kept: an event may come before the submit's answer has named its task. */
const MOST_WITH_ARTIFACTS = 3;

/** What a decision has come to: it is refused after all, or obeyed, perhaps with something to know. */
export interface DecisionEnd {
  refusal?: string;
  note?: string;
}

/**
 * What came in for a run from outside, by signals and updates. The steps of the workflow wait for it and take it; they
 * never write what they know here. Anybody can send a signal, so it may be anything: one that throws would stop the
 * run for good.
 */
export class Inbox {
  /** Whether somebody wants the run to look at once. */
  lookRequested = false;
  /** How often the run has looked; `checkNow` waits for it to grow. */
  looks = 0;
  /** Whether a person is asked right now. */
  isAsking = false;
  decision: Decision | undefined;
  /** What the latest decision has come to. */
  decisionEnd: DecisionEnd = {};
  /** Tasks granted to claims of this run, by claim id. */
  readonly grants = new Map<string, string>();
  /** Submits that were never sent, by `submitKey`. */
  readonly notSent = new Set<string>();
  /** Parkings that the credit gate has released. */
  readonly released = new Set<string>();
  /** Where the files of tasks are, by what their latest events have told. */
  readonly #artifacts: Map<string, string[]>;
  /** Which terminal event of all was the latest of each task: they may come before the submit's own answer. */
  readonly #ends = new Map<string, number>();
  #lastEnd = 1;

  constructor(carried?: Carried) {
    this.#artifacts = new Map(carried?.artifacts);
    for (const key of carried?.notSent ?? []) this.notSent.add(key);
    for (const [claimId, taskId] of carried?.grants ?? []) this.grants.set(claimId, taskId);
    for (const taskId of carried?.ended ?? []) this.#ends.set(taskId, 1);
    // A decision may come before the new run has got to where it asks.
    const stage = carried?.stage;
    this.isAsking =
      (stage?.kind === 'wait' && stage.asking !== undefined) ||
      (stage?.kind === 'buy' && stage.lost?.search.kind === 'asking');
  }

  /** A webhook's hint. */
  onTaskEvent(event: Partial<TaskEvent> | null | undefined): void {
    const taskId: unknown = event?.taskId;
    if (!TERMINAL_EVENTS.has(event?.type ?? '') || !isTaskId(taskId)) return;
    this.#lastEnd += 1;
    this.#ends.delete(taskId);
    this.#ends.set(taskId, this.#lastEnd);
    const [first] = this.#ends.keys();
    // A hint that is lost is made up for by the next poll.
    if (this.#ends.size > MOST_KEPT && first !== undefined) this.#ends.delete(first);
    this.#keepArtifacts(taskId, event?.artifacts);
  }

  #keepArtifacts(taskId: string, told: unknown): void {
    const artifacts = readArtifacts(told);
    if (artifacts === undefined) return;
    this.#artifacts.delete(taskId);
    this.#artifacts.set(taskId, artifacts);
    const [oldest] = this.#artifacts.keys();
    if (this.#artifacts.size > MOST_WITH_ARTIFACTS && oldest !== undefined) this.#artifacts.delete(oldest);
  }

  onGrant(grant: Partial<TaskGrant> | null | undefined): void {
    const { claimId, taskId }: { claimId?: unknown; taskId?: unknown } = grant ?? {};
    if (!isId(claimId) || !isTaskId(taskId)) return;
    if (this.grants.size >= MOST_KEPT && !this.grants.has(claimId)) return;
    this.grants.set(claimId, taskId);
    this.#keepArtifacts(taskId, grant?.artifacts);
  }

  onNotSent(said: Partial<SubmitName> | null | undefined): void {
    const { runId, activityId }: { runId?: unknown; activityId?: unknown } = said ?? {};
    if (!isId(runId) || !isId(activityId) || this.notSent.size >= MOST_KEPT) return;
    this.notSent.add(submitKey(runId, activityId));
  }

  onRelease(release: { parkId?: unknown } | null | undefined): void {
    const parkId = release?.parkId;
    if (isId(parkId) && this.released.size < MOST_KEPT) this.released.add(parkId);
  }

  /** Nobody is asked any more; what was decided is being done. */
  stopAsking(): void {
    this.isAsking = false;
    if (this.decision !== undefined) this.answer();
  }

  /** Says what the decision has come to: whoever decided waits for it. */
  answer({ refusal, note }: DecisionEnd = {}): void {
    this.decisionEnd = {
      ...(refusal === undefined ? {} : { refusal }),
      ...(note === undefined ? {} : { note }),
    };
    this.decision = undefined;
  }

  /** Grows with each event that tells that a task has ended; 0: none has. */
  endsOf(taskId: string): number {
    return this.#ends.get(taskId) ?? 0;
  }

  /** The URLs of a task's files, where an event has told them. */
  artifactsOf(taskId: string): string[] | undefined {
    return this.#artifacts.get(taskId);
  }

  /** The same of all tasks that are known so. */
  get artifacts(): [taskId: string, urls: string[]][] {
    return [...this.#artifacts];
  }

  /** The tasks whose ends this run was told of. */
  get endedTasks(): string[] {
    return [...this.#ends.keys()];
  }
}

export function submitKey(runId: string, activityId: string): string {
  return `${runId} ${activityId}`;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID;
}
