import type { SearchAttributePair } from '@temporalio/common';
import {
  log,
  proxySinks,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { isTaskId } from '../../api/records/task-id.ts';
import { addUsage, NO_USAGE, type Usage } from '../../api/records/usage.ts';
import type { SubmitProof } from '../../contract/entities/unclaimed-tasks.ts';
import {
  type Attempt,
  DECISIONS,
  type Decision,
  type GenerationRequest,
  type GenerationResult,
  type GenerationState,
  type Progress,
} from '../../contract/generation.ts';
import {
  DarkroomModel,
  DarkroomState,
  DarkroomTaskId,
  DarkroomWorkspace,
  isSearchable,
  type SUBMIT_HELD_UP,
  SUBMITTING_AGAIN,
} from '../../contract/search-attributes.ts';
import type { DarkroomSinks } from '../../contract/sinks.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import type { Outlook } from '../../policy/look-pace.ts';
import type { Carried } from './continue.ts';
import { describeRun, type RunEnd } from './details.ts';
import { tellPipeline } from './tell-pipeline.ts';
import { claimIdOf } from './unknown-submit.ts';

/** A task that the run holds: accepted, claimed or adopted. */
export interface HeldTask {
  taskId: string;
  usage: Usage;
  adopted: boolean;
  outlook?: Outlook;
}

const { tasks, counts } = proxySinks<DarkroomSinks>();

/** The states that a person has to see, with the words they are searched by. */
const ATTENTION: Partial<Record<GenerationState, string>> = {
  parked: 'waiting for credits',
  'needs a decision': 'needs a decision',
  storing: 'storing is held up',
};

/** What a run in any state may need a look for, with the words it is searched by. */
export type Trouble = 'record cannot be read' | typeof SUBMIT_HELD_UP;

/** How a task can have ended that shows up late. */
const PROVEN = ['completed', 'failed', 'canceled'] as const;

/** A submit of which nobody can tell whether it has bought a task. */
const UNKNOWN: Attempt = {
  taskId: null,
  outcome: 'unknown',
  code: null,
  usage: NO_USAGE,
  settledBy: null,
  adopted: false,
};

/**
 * What one run of a generation knows: the attempts so far, the task it holds, what it is doing. The steps of the
 * workflow write it; the query, the updates and the UI read it.
 */
export class GenerationRun {
  readonly workflowId = workflowInfo().workflowId;
  readonly request: GenerationRequest;
  readonly workspace: string;
  readonly attempts: Attempt[] = [];
  state: GenerationState = 'submitting';
  task: HeldTask | undefined;
  /** When this run got to know the task that it holds (milliseconds since the epoch). */
  #heldAt: number | undefined;
  /** How much was told to the metrics. */
  #told = 0;
  /** A line for a person about what holds the run up; shown in the UI. */
  note: string | undefined;
  /** What its policy says that can hardly be meant. */
  policyDoubt: string | undefined;
  /** What a person is asked, in Markdown. */
  question: string | undefined;
  ended: RunEnd | undefined;
  charged: Usage | undefined;
  /** Whether there are earlier runs of this workflow id. */
  isRerun = false;
  nextPollAt: number | undefined;
  /** When the unknown submits began that this run has resolved, in milliseconds since the epoch. */
  readonly resolvedUnknowns: number[] = [];
  /** The value of DarkroomState. */
  shownState: string | undefined;
  /** Whether this run has said what it is: as soon as it holds a task or needs a look, else when it fails. */
  #isFindable = false;
  /** What its pipeline knows that it needs a look for. */
  #needTold: string | undefined;
  #trouble: Trouble | undefined;
  /** The attempts of unknown outcome, by the ids of their claims: which of the attempts. */
  readonly doubts = new Map<string, number>();
  /** Tasks that such submits turned out to have bought, as far as anybody can tell: which of the attempts. */
  readonly proven = new Map<string, number>();

  /** Tasks of another model or input that people have had it adopt: they are not its own to pay. */
  readonly foreign = new Set<string>();

  /** @param request what it shows is right; the rest is checked later, so anything may be wrong with it */
  constructor(request: GenerationRequest, carried?: Carried) {
    this.request = request;
    this.workspace = this.request.workspace ?? DEFAULT_WORKSPACE;
    this.attempts.push(...(carried?.attempts ?? []));
    this.resolvedUnknowns.push(...(carried?.resolvedUnknowns ?? []));
    this.shownState = carried?.shownState;
    this.#needTold = this.shownState === SUBMITTING_AGAIN ? undefined : this.shownState;
    for (const taskId of carried?.foreign ?? []) this.foreign.add(taskId);
    for (const [claimId, index] of carried?.doubts ?? []) this.doubts.set(claimId, index);
    for (const [taskId, index] of carried?.proven ?? []) this.proven.set(taskId, index);
  }

  /** All attempts together, the open task included. */
  usage(): Usage {
    return this.attempts.reduce((sum, attempt) => addUsage(sum, attempt.usage), this.task?.usage ?? NO_USAGE);
  }

  /** What a task of this generation costs, in credits, where an earlier attempt has shown it. */
  get knownPrice(): number | undefined {
    const prices = this.attempts.map(({ usage }) => usage.total).filter((total) => total > 0);
    return prices.length === 0 ? undefined : Math.max(...prices);
  }

  /** How many submits may have bought a task that nobody knows. */
  get unknowns(): number {
    return this.attempts.filter(({ outcome, usage }) => outcome === 'unknown' && usage.total === 0).length;
  }

  /** The tasks that this run has had and is done with. */
  get settledTaskIds(): string[] {
    return this.attempts.flatMap(({ taskId }) => taskId ?? []);
  }

  /** How many attempts have ended with that code. */
  endsWith(code: string): number {
    return this.attempts.filter((attempt) => attempt.code === code).length;
  }

  /** Those of the tasks that this run has never held. */
  unheld(taskIds: Iterable<string>): string[] {
    const settled = this.settledTaskIds.filter((taskId) => !this.proven.has(taskId));
    const held = new Set([this.task?.taskId, ...settled]);
    return [...taskIds].filter((taskId) => !held.has(taskId));
  }

  progress(): Progress {
    return {
      state: this.state,
      taskId: this.task?.taskId ?? this.settledTaskIds.at(-1) ?? null,
      attempts: this.attempts,
      usage: this.usage(),
      nextPollAt:
        this.state !== 'waiting' || this.nextPollAt === undefined
          ? null
          : new Date(this.nextPollAt).toISOString(),
      trouble: this.note ?? null,
      ...(this.state === 'needs a decision' && this.request.adoptOnly !== undefined
        ? { decisions: this.decisions }
        : {}),
    };
  }

  /** What a person can decide: to buy again only where anything may be bought. */
  get decisions(): Decision['action'][] {
    const { adoptOnly } = this.request;
    return DECISIONS.filter((action) => action !== 'resubmit' || adoptOnly === undefined);
  }

  /** Enters a state; the ones that need a person become searchable, and stop being so when left. */
  enter(state: GenerationState, note?: string): void {
    this.state = state;
    this.#trouble = undefined;
    this.tell(note);
    if (!this.#showAttention()) return;
    log.warn(`${this.shownState}: ${note ?? ''}`, { taskId: this.task?.taskId });
    if (state === 'needs a decision') counts.asked(this.#tells(), this.request.model);
  }

  /** The run goes on in its state, and people are to look at what holds it up; until it enters a state anew. */
  stumble(trouble: Trouble, note: string): void {
    this.#trouble = trouble;
    this.tell(note);
    if (this.#showAttention()) log.warn(`${trouble}: ${note}`, { taskId: this.task?.taskId });
  }

  /** Says what holds the run up, or that nothing does. */
  tell(note: string | undefined): void {
    this.note = note;
    this.describe();
  }

  /** The run is over, however it ended: nobody needs to look for it any more. */
  end(how: RunEnd): void {
    this.state = 'done';
    this.#trouble = undefined;
    this.ended = how;
    const { total } = this.usage();
    if (how.kind === 'failed') log.warn(`failed with ${how.type} after ${total} credits: ${how.message}`);
    else log.info(`${how.kind} for ${total} credits`, { taskId: this.settledTaskIds.at(-1) });
    this.#showAttention();
    if (!this.#isFindable && how.kind !== 'completed') upsertSearchAttributes(this.#whatItIs());
    this.describe();
  }

  /** What it has bought itself, told once it is over. */
  bill(charged: Usage): Usage {
    this.charged = charged;
    this.describe();
    return charged;
  }

  /** @returns whether it has come into a state that needs a look */
  #showAttention(): boolean {
    const again = this.state === 'submitting' && this.attempts.length > 0;
    const need = this.#trouble ?? ATTENTION[this.state];
    const attention = need ?? (again ? SUBMITTING_AGAIN : undefined);
    if (attention === this.shownState) return false;
    upsertSearchAttributes([
      { key: DarkroomState, value: attention ?? null },
      // One that holds no task yet is to be found by these as well.
      ...(attention === undefined ? [] : this.#whatItIs()),
    ]);
    this.shownState = attention;
    // Its end tells enough.
    if (need !== this.#needTold && this.ended === undefined) tellPipeline(need, this.note);
    this.#needTold = need;
    return need !== undefined;
  }

  /** Takes a task into the run: from here on the webhook finds this workflow by it, and so does an operator. */
  hold(task: HeldTask): void {
    this.task = task;
    const { taskId, adopted } = task;
    this.#revokeProof(taskId);
    this.#heldAt = Date.now();
    tasks.held({ workspace: this.workspace, taskId });
    if (adopted) counts.adopted(this.#tells(), this.request.model);
    log.info(adopted ? `adopted task ${taskId}` : `bought task ${taskId}`, {
      taskId,
      model: this.request.model,
    });
    upsertSearchAttributes([{ key: DarkroomTaskId, value: task.taskId }, ...this.#whatItIs()]);
  }

  /** Takes over what an earlier run had come to that is deleted: from here on the task is found by this one. */
  takeOver({ taskId, usage, attempts }: GenerationResult): void {
    this.hold({ taskId, usage, adopted: true });
    this.task = undefined;
    this.attempts.push(...attempts);
    this.describe();
  }

  /** A person has it adopt a task that no submit of its own can have bought. */
  adoptForeign(taskId: string, warning: string): void {
    log.warn(warning, { taskId });
    this.foreign.add(taskId);
  }

  /** What was proven for an earlier submit is the held task now: it counts once. */
  #revokeProof(taskId: string): void {
    const index = this.proven.get(taskId);
    if (index === undefined) return;
    this.proven.delete(taskId);
    this.attempts[index] = UNKNOWN;
  }

  /** The request may have been refused for either of these. */
  #whatItIs(): SearchAttributePair[] {
    this.#isFindable = true;
    const { model } = this.request;
    return [
      ...(isSearchable(model) ? [{ key: DarkroomModel, value: model }] : []),
      { key: DarkroomWorkspace, value: isSearchable(this.workspace) ? this.workspace : DEFAULT_WORKSPACE },
    ];
  }

  /** Records how the held task ended. */
  settle(
    task: HeldTask,
    outcome: Attempt['outcome'],
    settledBy: Attempt['settledBy'],
    code: string | null = null,
  ): void {
    const { taskId, usage, adopted } = task;
    if (outcome !== 'completed')
      log.warn(`task ${taskId} ${outcome}${code === null ? '' : `: ${code}`}`, { taskId });
    this.#record({ taskId, outcome, code, usage, settledBy, adopted });
  }

  /** Records a submit that was rejected for good. */
  reject(code: string | null): void {
    log.warn(`the submit was rejected${code === null ? '' : `: ${code}`}`);
    this.#record({ ...UNKNOWN, outcome: 'rejected', code });
  }

  /**
   * Records a submit of which nobody can tell whether it has bought a task.
   *
   * @param since when it began, in milliseconds since the epoch
   */
  doubt(since: number): void {
    log.warn('nobody can tell whether a submit has bought a task');
    this.doubts.set(claimIdOf(workflowInfo().firstExecutionRunId, since), this.attempts.length);
    this.#record(UNKNOWN);
  }

  /**
   * A submit that nobody could tell of has bought a task after all: it counts. Anybody may say so, in any words.
   *
   * @returns whether it is one of those that this run has given up
   */
  prove(proof: Partial<SubmitProof> | null | undefined): boolean {
    const { claimId }: { claimId?: unknown } = proof ?? {};
    const index = (typeof claimId === 'string' ? this.doubts.get(claimId) : undefined) ?? -1;
    const attempt = this.attempts[index];
    const taskId: unknown = proof?.taskId;
    const total: unknown = proof?.usage?.total;
    if (attempt === undefined) return false;
    if (!isTaskId(taskId) || !isCredits(total)) return true;
    // A later submit has bought it: news of its task came before its answer.
    if (this.unheld([taskId]).length === 0 || (this.proven.get(taskId) ?? index) !== index) return true;
    const { subscription, permanent }: Partial<Usage> = proof?.usage ?? {};
    const usage = {
      total,
      subscription: isCredits(subscription) ? subscription : 0,
      permanent: isCredits(permanent) ? permanent : 0,
    };
    const outcome = PROVEN.find((one) => one === proof?.outcome);
    // Until it has ended, its outcome stays unknown, and an unknown one names no task.
    this.attempts[index] = { ...attempt, usage, ...(outcome === undefined ? {} : { outcome, taskId }) };
    this.proven.set(taskId, index);
    counts.charged(this.#tells(), { model: this.request.model, workspace: this.workspace, credits: total });
    log.warn(`a submit that was given up has bought task ${taskId} for ${total} credits`, { taskId });
    this.describe();
    return true;
  }

  #tells(): number {
    this.#told += 1;
    return this.#told;
  }

  #record(attempt: Attempt): void {
    this.attempts.push(attempt);
    const { outcome, code, settledBy, adopted, usage } = attempt;
    counts.attempted(this.#tells(), {
      model: this.request.model,
      workspace: this.workspace,
      outcome,
      code,
      settledBy,
      // What an earlier run has bought was counted there.
      credits: adopted && this.isRerun ? 0 : usage.total,
      lasted: this.task === undefined || this.#heldAt === undefined ? null : Date.now() - this.#heldAt,
    });
    this.task = undefined;
    this.describe();
  }

  /** Refreshes what the Temporal Web UI shows of the run; costs no history. */
  describe(): void {
    setCurrentDetails(describeRun(this));
  }
}

function isCredits(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}
