import type { SearchAttributePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { TERMINAL_EVENTS } from '../../api/event-types.ts';
import { addUsage, NO_USAGE, type Usage } from '../../api/usage.ts';
import type {
  Attempt,
  Decision,
  GenerationRequest,
  GenerationState,
  Progress,
  TaskEvent,
} from '../../contract/generation.ts';
import {
  DarkroomModel,
  DarkroomState,
  DarkroomTaskId,
  DarkroomWorkspace,
  SUBMITTING_AGAIN,
} from '../../contract/search-attributes.ts';
import type { Policy } from '../../policy/policy.ts';
import { describeRun } from './details.ts';

/** A task that the run holds: accepted, claimed or adopted. */
export interface HeldTask {
  taskId: string;
  usage: Usage;
  adopted: boolean;
}

/** The states that a person has to see, with the words they are searched by. */
const ATTENTION: Partial<Record<GenerationState, string>> = {
  parked: 'waiting for credits',
  'needs a decision': 'needs a decision',
};

/**
 * What one run of a generation knows: the attempts so far, the task it holds, what it waits for. The steps of
 * the workflow write it; the query, the updates and the UI read it.
 */
export class GenerationRun {
  readonly request: GenerationRequest;
  readonly workspace: string;
  policy: Policy;
  state: GenerationState = 'submitting';
  task: HeldTask | undefined;
  readonly attempts: Attempt[] = [];
  /** A line for a person about what holds the run up; shown in the UI. */
  note: string | undefined;
  nextPollAt: number | undefined;
  /** How many GETs have been answered for; `checkNow` waits for it to grow. */
  polls = 0;
  pollRequested = false;
  /** Whether a person is asked right now; the state alone outlasts the answer. */
  asked = false;
  decision: Decision | undefined;
  /** Tasks granted to claims of this run, by claim id. */
  readonly grants = new Map<string, string>();
  /** Parkings that the credit gate has released. */
  readonly released = new Set<string>();
  /** A task that a person named: held next, without a submit. */
  adoptNext: string | undefined;
  /** Since when the run has been without credits (ms since the epoch). */
  parkedSince: number | undefined;
  /** When a submit's unknown outcome was last resolved in this run, in milliseconds since the epoch. */
  unknownResolvedAt = 0;
  #shownState: string | undefined;
  readonly #settledEvents = new Set<string>();

  /** @param request as it came: it is checked later, so anything may be wrong with it, null included */
  constructor(request: GenerationRequest | null, policy: Policy) {
    this.request = request ?? { model: '', input: {} };
    this.workspace = this.request.workspace ?? 'default';
    this.policy = policy;
  }

  /** All attempts together, the open task included. */
  usage(): Usage {
    return this.attempts.reduce((sum, attempt) => addUsage(sum, attempt.usage), this.task?.usage ?? NO_USAGE);
  }

  progress(): Progress {
    return {
      state: this.state,
      taskId: this.task?.taskId ?? this.attempts.findLast(({ taskId }) => taskId !== null)?.taskId ?? null,
      attempts: this.attempts,
      usage: this.usage(),
      nextPollAt:
        this.state !== 'waiting' || this.nextPollAt === undefined
          ? null
          : new Date(this.nextPollAt).toISOString(),
    };
  }

  /**
   * A webhook's hint. Only terminal events are remembered: they may come before the submit's own answer. Anybody
   * can send a signal, so it may be anything: one that throws would stop the run for good.
   */
  onTaskEvent(event: Partial<TaskEvent> | null | undefined): void {
    const taskId: unknown = event?.taskId;
    if (!TERMINAL_EVENTS.has(event?.type ?? '')) return;
    if (typeof taskId === 'string' && taskId !== '') this.#settledEvents.add(taskId);
  }

  /** Tasks that were granted to a claim and that this run does not know: one that was Reset had put it in. */
  get unheldGrants(): string[] {
    return this.#notHeld(this.grants.values());
  }

  /**
   * Tasks that this run does not know and whose ends it was told of. The receiver found this workflow by them: so
   * some process has had the answer to a submit of it, although this run may never have got it.
   */
  get unheldEvents(): string[] {
    return this.#notHeld(this.#settledEvents);
  }

  #notHeld(taskIds: Iterable<string>): string[] {
    const held = new Set([this.task?.taskId, ...this.attempts.map(({ taskId }) => taskId)]);
    return [...taskIds].filter((taskId) => !held.has(taskId));
  }

  hasSettledEvent(taskId: string): boolean {
    return this.#settledEvents.has(taskId);
  }

  /** Enters a state; the ones that need a person become searchable, and stop being so when left. */
  enter(state: GenerationState, note?: string): void {
    this.state = state;
    this.note = note;
    this.#showAttention();
    this.describe();
  }

  /** The run is over, however it ended: nobody needs to look for it any more. */
  end(): void {
    this.state = 'done';
    this.#showAttention();
    this.describe();
  }

  #showAttention(): void {
    const again = this.state === 'submitting' && this.attempts.length > 0;
    const attention = again ? SUBMITTING_AGAIN : ATTENTION[this.state];
    if (attention !== this.#shownState) {
      upsertSearchAttributes([
        { key: DarkroomState, value: attention ?? null },
        // One that holds no task yet is to be found by these as well.
        ...(attention === undefined ? [] : this.#whatItIs()),
      ]);
      this.#shownState = attention;
    }
  }

  /** Takes a task into the run: from here on the webhook finds this workflow by it, and so does an operator. */
  hold(task: HeldTask): void {
    this.task = task;
    upsertSearchAttributes([{ key: DarkroomTaskId, value: task.taskId }, ...this.#whatItIs()]);
  }

  #whatItIs(): SearchAttributePair[] {
    return [
      { key: DarkroomModel, value: this.request.model },
      { key: DarkroomWorkspace, value: this.workspace },
    ];
  }

  /** Records how the held task, or a submit without one, ended. */
  record(attempt: Attempt): void {
    this.attempts.push(attempt);
    this.task = undefined;
    this.describe();
  }

  /** Refreshes what the Temporal Web UI shows of the run; costs no history. */
  describe(): void {
    setCurrentDetails(describeRun(this));
  }
}
