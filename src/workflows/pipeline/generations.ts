import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { condition, proxyActivities, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { DarkroomActivities, LookedAt } from '../../contract/activities.ts';
import type { Attempt, AttemptOutcome, FailureDetails } from '../../contract/generation.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { MOST_REQUEST_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest, StepFailure, StepItem } from '../../contract/pipeline.ts';
import { orderOf } from '../../contract/pipeline-step.ts';
import type { Prices } from '../../contract/prices.ts';
import type { Budget } from './budget.ts';
import { failedBefore, generationRequest, ownBudget, runChild } from './child.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { idOf, inUse, isMadeOf, type Job, now } from './job.ts';
import { countedBefore, type LeftTasks, tasksLeftBy } from './left-tasks.ts';
import { Outbox, Permits } from './permits.ts';
import { reach } from './reach.ts';
import type { Results, Settled } from './results.ts';
import { costsOf } from './step-result.ts';
import { follow, look, passCancellationOn } from './take-over.ts';

const { findReusable } = proxyActivities<Pick<DarkroomActivities, 'findReusable'>>({
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

export interface GenerationsOptions {
  request: () => PipelineRequest;
  results: Results;
  budget: Budget;
  prices: Prices;
  earlier: EarlierRuns;
  /** Paths of generations that run: the run that this one continues has started them. */
  following: Iterable<string>;
  /** What those of them may cost at most that it has bought, in credits. */
  reserved: Iterable<[path: string, credits: number | null]>;
  /** Whether it is looked, before anything is bought with outputs, whether they can still be reached. */
  reaches: boolean;
  /** Whether nothing new may be started, because the run is about to continue as new. */
  isEnding: () => boolean;
  onStart: (path: string, workflowId: string) => void;
  /** What a generation that runs already is searched by: `DarkroomState`. */
  onLook: (path: string, state: string) => void;
}

/**
 * The generations of a pipeline: each is taken from the pipeline that `reuse` names, or from an earlier run of this
 * one, else bought. A failure is a result here.
 */
export class Generations {
  readonly #options: GenerationsOptions;
  readonly #permits = new Permits();
  readonly #outbox = new Outbox();
  readonly #following: Set<string>;
  /** Of those that were bought by this pipeline, by any run that it continues. */
  readonly #reserved: Map<string, number | null>;
  #starting = 0;

  constructor(options: GenerationsOptions) {
    this.#options = options;
    this.#following = new Set(options.following);
    this.#reserved = new Map(options.reserved);
  }

  /** Paths of those that run. */
  get following(): string[] {
    return [...this.#following];
  }

  get reserved(): [path: string, credits: number | null][] {
    return [...this.#reserved];
  }

  get reaches(): boolean {
    return this.#options.reaches;
  }

  /** Whether Temporal has still to tell whether a generation was started. */
  get isStarting(): boolean {
    return this.#starting > 0;
  }

  isFollowing(path: string): boolean {
    return this.#following.has(path);
  }

  /** How a generation ends; it is kept in the results, too, but there it may be shorter. */
  async run(job: Job): Promise<Settled> {
    const { results, budget } = this.#options;
    const known = results.get(job.path);
    if (known !== undefined) return known;
    const settled = await this.#permits.run(async () => {
      budget.expect(job.path);
      try {
        return await this.#obtain(job);
      } finally {
        budget.expectNoMore(job.path);
      }
    });
    this.#end(job.path);
    results.settle(job.path, settled);
    return settled;
  }

  async #obtain(job: Job): Promise<Settled> {
    const { path, step, input, origins } = job;
    const { reuse, workspace } = this.#options.request();
    if (this.#following.has(path)) return await this.#follow(job);
    // What failed is wanted once more: perhaps by the run that this one continues, which has counted what it cost.
    if (this.#options.results.wasTried(path)) return await this.#takeOver(job, await this.#look(job), true);
    if (reuse !== undefined) {
      await this.#outbox.room(jsonBytes(input));
      const found = await findReusable({
        ...orderOf(step, input),
        pipelineId: reuse,
        path,
        workspace,
        origins,
      });
      if (found !== null) {
        this.#options.prices.learn(orderOf(step, input), found.result.attempts);
        return now({ status: 'COMPLETED', ...found, reused: true });
      }
    }
    if (await this.#options.earlier.hasStarted(path)) return await this.#takeOver(job, await this.#look(job));
    return await this.#buy(job, { reuse: WorkflowIdReusePolicy.REJECT_DUPLICATE });
  }

  /**
   * Takes over what an earlier run has started; what failed there is bought again.
   *
   * @param isOwn whether it was this pipeline itself, so that its cost is counted already
   */
  async #takeOver(job: Job, found: LookedAt, isOwn = false): Promise<Settled> {
    if (!isOwn) this.#options.earlier.notice();
    if (found.kind === 'missing')
      return await this.#buy(job, { reuse: WorkflowIdReusePolicy.REJECT_DUPLICATE });
    if (found.kind === 'different' || !isMadeOf(found, job)) {
      const isRunning = found.kind === 'different' ? found.isRunning : found.kind === 'running';
      return isRunning ? inUse(job) : await this.#buy(job, { reuse: WorkflowIdReusePolicy.ALLOW_DUPLICATE });
    }
    if (found.kind === 'running') return await this.#follow(job, found.state);
    const settled = this.#endOf(job, found);
    if (!isOwn) this.#options.earlier.count(job.path, costsOf(settled.item).usage.total);
    if (found.kind === 'completed') return settled;
    // It is started again with what it was started with, and may adopt what it has bought.
    const { input = job.input, origins = job.origins } = found.other ?? {};
    const again = {
      reuse: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      earlierRun: found.runId,
      left: tasksLeftBy(found),
      mayAdopt: mayHaveBought(found.failure),
    };
    return await this.#buy({ ...job, input, origins }, again);
  }

  /** Waits for a generation that runs, and takes it as it ends. */
  async #follow(job: Job, state?: string): Promise<Settled> {
    const { path, step, input } = job;
    const { budget, prices } = this.#options;
    budget.expectNoMore(path);
    this.#begin(path);
    if (state !== undefined) this.#options.onLook(path, state);
    const reserved = this.#reserved.get(path);
    const reservation = budget.hold(reserved ?? prices.of(orderOf(step, input)));
    await this.#roomToLook(job);
    const found = await follow(this.#toFind(job));
    const settled = this.#endOf(job, found);
    const { usage, charged } = costsOf(settled.item);
    // What was bought by this pipeline may have adopted what is counted already.
    reservation.settle(reserved === undefined ? usage.total : charged.total);
    return settled;
  }

  async #buy(
    job: Job,
    {
      reuse,
      earlierRun,
      left,
      mayAdopt = false,
    }: {
      reuse: WorkflowIdReusePolicy;
      earlierRun?: string;
      left?: LeftTasks | undefined;
      mayAdopt?: boolean;
    },
  ): Promise<Settled> {
    const { step, origins, path } = job;
    const { budget, prices } = this.#options;
    const pipeline = this.#options.request();
    const own = ownBudget(generationRequest(pipeline, step, job.input, undefined).policy);
    // In the turn in which it asks: who asks later finds the budget in the hands of those that run.
    const reservation = await budget.reserve(path, () => prices.of(orderOf(step, job.input)));
    if (reservation === undefined) return await this.#beyondBudget(job);
    const reached = await (this.reaches ? reach(job) : { input: job.input });
    // What is paid for already needs its input no more.
    if ('message' in reached && !mayAdopt) {
      reservation.settle(0);
      return now(failedBefore(idOf(path), 'OUTPUT_UNAVAILABLE', reached.message));
    }
    const { input } = 'message' in reached ? job : reached;
    const request = {
      ...generationRequest(pipeline, step, input, least(own, reservation.most)),
      ...(earlierRun === undefined ? {} : { earlierRun }),
    };
    const workflowId = idOf(path);
    const bytes = jsonBytes(request);
    if (bytes > MOST_REQUEST_BYTES) {
      reservation.settle(0);
      const message = `its input would have ${bytes} bytes as JSON; at most ${MOST_REQUEST_BYTES} are taken`;
      return now(failedBefore(workflowId, 'INVALID_REQUEST', message));
    }
    await this.#outbox.room(bytes);
    await condition(() => !this.#options.isEnding());
    this.#starting += 1;
    let isStarting = true;
    const onStart = (): void => {
      if (!isStarting) return;
      isStarting = false;
      this.#starting -= 1;
    };
    const startedAt = Date.now();
    try {
      this.#begin(path);
      this.#reserved.set(path, reservation.most ?? null);
      const item = await runChild({ workflowId, path, request, reuse, origins, onStart });
      const told = await this.#told(job, item);
      const before = countedBefore(told, left);
      // What it has adopted is counted already.
      reservation.settle(costsOf(told).charged.total - (before?.usage.total ?? 0));
      this.#learn(job, told);
      return { item: told, startedAt, countedBefore: before };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    } finally {
      onStart();
    }
    this.#end(path);
    reservation.settle(0);
    if (reuse === WorkflowIdReusePolicy.ALLOW_DUPLICATE) return inUse(job);
    return await this.#takeOver(job, await this.#look(job));
  }

  /** What an earlier run has bought is no purchase any more, whatever is left of the budget. */
  async #beyondBudget(job: Job): Promise<Settled> {
    const found = await this.#look(job);
    const isBought = found.kind === 'running' || found.kind === 'completed';
    if (isBought && isMadeOf(found, job)) return await this.#takeOver(job, found);
    const message = `the pipeline's budget of ${this.#options.request().budget?.credits} credits does not admit it`;
    return now(failedBefore(idOf(job.path), 'BUDGET_EXCEEDED', message));
  }

  /** One that was ended from outside tells nothing of what it has bought: it is asked. */
  async #told(job: Job, item: StepItem): Promise<StepItem> {
    const isSilent = item.status === 'FAILED' && item.failure.details === null;
    const found = isSilent ? await look({ ...this.#toFind(job), asItIs: true }) : undefined;
    return found?.kind === 'failed'
      ? { status: 'FAILED', workflowId: idOf(job.path), failure: found.failure }
      : item;
  }

  async #look(job: Job): Promise<LookedAt> {
    await this.#roomToLook(job);
    return await look(this.#toFind(job));
  }

  /** A cancellation that comes before the look is for the generation, too. */
  async #roomToLook({ path, input }: Job): Promise<void> {
    await passCancellationOn(idOf(path), () => this.#outbox.room(jsonBytes(input)));
  }

  /** A generation that has ended, as a look has found it. */
  #endOf(job: Job, found: LookedAt): Settled {
    const workflowId = idOf(job.path);
    if (found.kind === 'completed') {
      const item: StepItem = { status: 'COMPLETED', workflowId, result: found.result };
      this.#learn(job, item);
      return { item, startedAt: found.startedAt };
    }
    if (found.kind === 'failed') {
      const item: StepItem = { status: 'FAILED', workflowId, failure: found.failure };
      this.#learn(job, item);
      return { item, startedAt: found.startedAt };
    }
    // It ran when it was looked at before: somebody has deleted it.
    const failure = { type: 'UNKNOWN', message: 'the server no longer has the generation', details: null };
    return now({ status: 'FAILED', workflowId, failure });
  }

  #learn({ step, input }: Job, item: StepItem): void {
    this.#options.prices.learn(orderOf(step, input), attemptsOf(item));
  }

  #begin(path: string): void {
    this.#following.add(path);
    this.#options.onStart(path, idOf(path));
  }

  #end(path: string): void {
    this.#following.delete(path);
    this.#reserved.delete(path);
  }

  #toFind({ path, step, input, origins }: Job) {
    const { workspace } = this.#options.request();
    return { ...orderOf(step, input), workflowId: idOf(path), workspace, origins };
  }
}

/** What was tried, also in vain: it shows the price. */
function attemptsOf(item: StepItem): Attempt[] {
  if (item.status === 'COMPLETED') return item.result.attempts;
  const details = item.failure.details as Partial<FailureDetails> | null; // if a generation has failed
  return details?.attempts ?? [];
}

/** Attempts with these ends have no result, and will have none. */
const IN_VAIN: ReadonlySet<AttemptOutcome> = new Set(['failed', 'canceled', 'rejected']);

/** Whether a generation that has failed may have bought what its next run only has to adopt. */
function mayHaveBought({ details }: StepFailure): boolean {
  const { attempts = [], charged } = (details ?? {}) as Partial<FailureDetails>; // if a generation has failed by itself
  // One that was ended from outside has told nothing itself, and may have held a task.
  return charged === undefined || attempts.some(({ outcome }) => !IN_VAIN.has(outcome));
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
