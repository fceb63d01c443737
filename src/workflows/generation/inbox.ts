import { TERMINAL_EVENTS } from '../../api/event-types.ts';
import type { Decision, TaskEvent } from '../../contract/generation.ts';
import type { TaskGrant } from '../../contract/unclaimed-tasks.ts';
import type { Carried } from './continue.ts';

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
  /** Parkings that the credit gate has released. */
  readonly released = new Set<string>();
  /** How many terminal events of each task have come: they may come before the submit's own answer. */
  readonly #ends = new Map<string, number>();

  constructor(carried?: Carried) {
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
    if (!TERMINAL_EVENTS.has(event?.type ?? '') || !isId(taskId)) return;
    this.#ends.set(taskId, this.endsOf(taskId) + 1);
  }

  onGrant(grant: Partial<TaskGrant> | null | undefined): void {
    const { claimId, taskId }: { claimId?: unknown; taskId?: unknown } = grant ?? {};
    if (isId(claimId) && isId(taskId)) this.grants.set(claimId, taskId);
  }

  onRelease(release: { parkId?: unknown } | null | undefined): void {
    const parkId = release?.parkId;
    if (isId(parkId)) this.released.add(parkId);
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

  /** How many events have told that a task has ended. */
  endsOf(taskId: string): number {
    return this.#ends.get(taskId) ?? 0;
  }

  /** The tasks whose ends this run was told of. */
  get endedTasks(): string[] {
    return [...this.#ends.keys()];
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
