import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { condition, proxyActivities, WorkflowIdReusePolicy } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { WhyNothing } from '../../contract/generation.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { MOST_REQUEST_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest, StepItem } from '../../contract/pipeline.ts';
import type { Prices } from '../../contract/purchases/prices.ts';
import type { CarriedPipeline, LeftTasks } from '../../contract/steps/carried-pipeline.ts';
import { orderOf } from '../../contract/steps/pipeline-step.ts';
import type { LookedAt } from '../../contract/steps/step-look.ts';
import { Outbox } from '../outbox.ts';
import type { Budget } from './budget.ts';
import { failedBefore, generationRequest, ownBudget, runChild } from './child.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { inUse, isMadeOf, type Job, mayStillEnd, now } from './job.ts';
import { countedBefore, tasksLeftBy } from './left-tasks.ts';
import { Permits } from './permits.ts';
import { reach } from './reach.ts';
import type { Results, Settled } from './results.ts';
import { follow, look } from './take-over.ts';
import { attemptsOf, paidFor } from './told-by.ts';

const { findReusable } = proxyActivities<Pick<DarkroomActivities, 'findReusable'>>({
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

/** Milliseconds after which a generation that is to run again is looked at once more. */
const LOOKED_AT_LONG_AGO = 1_000;

/** A generation that this pipeline has bought, and that runs. */
type Reserved = NonNullable<CarriedPipeline['reserved']>[number];

export interface GenerationsOptions {
  request: () => PipelineRequest;
  results: Results;
  budget: Budget;
  prices: Prices;
  earlier: EarlierRuns;
  /** Workflow ids of generations that run, by path: the run that this one continues has started them. */
  following: Iterable<[path: string, workflowId: string]>;
  /** What is known of those of them that it has bought. */
  reserved: Iterable<Reserved>;
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
  /** Workflow ids of those that run, by path. */
  readonly #following: Map<string, string>;
  /** And of those of which it is asked whether they do. */
  readonly #lookedAt = new Map<string, string>();
  /** Of those that were bought by this pipeline, by any run that it continues. */
  readonly #reserved: Map<string, Reserved>;
  /** Those of which it is not known yet whether they have to be bought. */
  readonly #sought = new Set<string>();
  #starting = 0;
  #hasStarted = false;

  constructor(options: GenerationsOptions) {
    this.#options = options;
    this.#following = new Map(options.following);
    this.#reserved = new Map([...options.reserved].map((one) => [one[0], one]));
  }

  /** Paths of those that run. */
  get following(): string[] {
    return [...this.#following.keys()];
  }

  /** Workflow ids of those that run, or may. */
  get workflowIds(): string[] {
    return [...this.#following.values(), ...this.#lookedAt.values()];
  }

  get reserved(): Reserved[] {
    return [...this.#reserved.values()];
  }

  /** Whether Temporal has still to tell whether a generation was started. */
  get isStarting(): boolean {
    return this.#starting > 0;
  }

  /** Whether continuing as new brings it on: the next run would seek once more what this one seeks. */
  get hasAdvanced(): boolean {
    return this.#hasStarted || this.#sought.size === 0;
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
      this.#sought.add(job.path);
      try {
        return await this.#obtain(job);
      } finally {
        budget.expectNoMore(job.path);
        this.#sought.delete(job.path);
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
    if (reuse !== undefined) {
      await this.#outbox.room(jsonBytes(input));
      const found = await findReusable({
        ...orderOf(step, input),
        pipelineId: reuse,
        path,
        workspace,
        origins,
      });
      if (found?.kind === 'ended') return mayStillEnd(found);
      if (found !== null) {
        const { workflowId, result } = found;
        this.#options.prices.learn(orderOf(step, input), result.attempts);
        return now({ status: 'COMPLETED', workflowId, result, reused: true });
      }
    }
    // What failed is wanted once more: perhaps by the run that this one continues, which has counted what it cost.
    if (this.#options.results.wasTried(path))
      return await this.#takeOver(job, await this.#look(job, true), true);
    if (await this.#options.earlier.hasStarted(path)) return await this.#takeOver(job, await this.#look(job));
    return await this.#buy(job, { reuse: WorkflowIdReusePolicy.REJECT_DUPLICATE });
  }

  /**
   * Takes over what an earlier run has started; what failed there is bought again.
   *
   * @param isOwn whether it was this pipeline itself: that shows no earlier run of it
   * @param left to the generation by the run before it, where a look has found that already
   */
  async #takeOver(job: Job, found: LookedAt, isOwn = false, left?: LeftTasks): Promise<Settled> {
    const { earlier } = this.#options;
    if (!isOwn) earlier.notice();
    if (found.kind === 'missing')
      return await this.#buy(job, { reuse: WorkflowIdReusePolicy.REJECT_DUPLICATE });
    if (found.kind === 'different' || !isMadeOf(found, job)) {
      earlier.count(job.path, 'tasks' in found ? (found.tasks ?? []) : []);
      const isRunning = found.kind === 'different' ? found.isRunning : found.kind === 'running';
      return isRunning ? inUse(job) : await this.#buy(job, { reuse: WorkflowIdReusePolicy.ALLOW_DUPLICATE });
    }
    if (found.kind === 'running') {
      if (left !== undefined) this.#reserved.set(job.path, [job.path, null, left]);
      return await this.#follow(job, found.state);
    }
    const settled = this.#endOf(job, found);
    earlier.count(job.path, paidFor(found, settled.item));
    if (found.kind === 'completed') return { ...settled, countedBefore: countedBefore(settled.item, left) };
    const next = job.isAsked ? undefined : await earlier.inputAfter(job);
    if (next !== undefined) return { ...settled, next };
    // It is started again with what it was started with, and may adopt what it has bought.
    const { input = job.input, origins = job.origins } = found.other ?? {};
    return await this.#buy(
      { ...job, input, origins },
      {
        reuse: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        earlierRun: found.runId,
        left: tasksLeftBy(found) ?? left,
      },
    );
  }

  /** Waits for a generation that runs, and takes it as it ends. */
  async #follow(job: Job, state?: string): Promise<Settled> {
    const { path, step, input } = job;
    const { budget, prices, earlier } = this.#options;
    budget.expectNoMore(path);
    this.#begin(job);
    if (state !== undefined) this.#options.onLook(path, state);
    const [, most, left] = this.#reserved.get(path) ?? [];
    const reservation = budget.hold(most ?? prices.of(orderOf(step, input)));
    await this.#outbox.room(jsonBytes(input));
    const found = await follow(this.#toFind(job));
    const settled = this.#endOf(job, found);
    // It may have adopted what is counted already.
    reservation.settle(earlier.uncounted(path, paidFor(found, settled.item)));
    return { ...settled, countedBefore: countedBefore(settled.item, left) };
  }

  /**
   * Starts a generation. One that an earlier run has started before is started whatever stands against buying: it may
   * only have to take over what is paid for, and needs neither credits nor its input for that.
   */
  async #buy(
    job: Job,
    {
      reuse,
      earlierRun,
      left,
    }: { reuse: WorkflowIdReusePolicy; earlierRun?: string; left?: LeftTasks | undefined },
  ): Promise<Settled> {
    const { step, origins, path, workflowId } = job;
    const { budget, prices, earlier } = this.#options;
    const askedAt = Date.now();
    const pipeline = this.#options.request();
    const own = ownBudget(generationRequest(pipeline, step, job.input, undefined).policy);
    // In the turn in which it asks: who asks later finds the budget in the hands of those that run.
    const admitted = await budget.reserve(path, () => prices.of(orderOf(step, job.input)));
    if (admitted === undefined && earlierRun === undefined)
      return await this.#unbought(job, this.#beyondBudget());
    const { input, unreachable } = await reach(job);
    const adoptOnly = unreachable ?? (admitted === undefined ? this.#beyondBudget() : undefined);
    if (adoptOnly !== undefined && earlierRun === undefined) {
      admitted?.settle(0);
      return await this.#unbought(job, adoptOnly);
    }
    // What is found may be paid for, and not counted yet.
    const reservation = admitted ?? budget.hold(0);
    const most = adoptOnly === undefined ? reservation.most : undefined;
    const request = {
      ...generationRequest(pipeline, step, input, least(own, most)),
      ...(earlierRun === undefined ? {} : { earlierRun }),
      ...(adoptOnly === undefined ? {} : { adoptOnly: forChild(adoptOnly) }),
    };
    const bytes = jsonBytes(request);
    if (bytes > MOST_REQUEST_BYTES) {
      reservation.settle(0);
      const message = `its input would have ${bytes} bytes as JSON; at most ${MOST_REQUEST_BYTES} are taken`;
      return now(failedBefore(workflowId, { type: 'INVALID_REQUEST', message }));
    }
    if (earlierRun !== undefined && Date.now() - askedAt > LOOKED_AT_LONG_AGO) {
      // It waited for the budget, and somebody may have run it again meanwhile.
      const latest = await this.#look(job);
      if (!('runId' in latest) || latest.runId !== earlierRun) {
        reservation.settle(0);
        return await this.#takeOver(job, latest, true, left);
      }
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
    this.#hasStarted = true;
    try {
      this.#begin(job);
      const limit = reservation.most ?? null;
      this.#reserved.set(path, left === undefined ? [path, limit] : [path, limit, left]);
      const item = await runChild({
        workflowId,
        path,
        request,
        reuse,
        isAgain: earlier.areKnown,
        origins,
        onStart,
      });
      const { told, found } = await this.#told(job, item);
      // It may have adopted what is counted already.
      reservation.settle(earlier.uncounted(path, paidFor(found, told)));
      this.#learn(job, told);
      return { item: told, startedAt, countedBefore: countedBefore(told, left) };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    } finally {
      onStart();
    }
    this.#end(path);
    reservation.settle(0);
    const isOwn = reuse === WorkflowIdReusePolicy.ALLOW_DUPLICATE;
    return await this.#takeOver(job, await this.#look(job), isOwn, left);
  }

  /** What an earlier run has bought is no purchase any more, whatever stands against buying. */
  async #unbought(job: Job, why: WhyNothing): Promise<Settled> {
    const found = await this.#look(job);
    const isThere = found.kind !== 'missing' && found.kind !== 'different';
    return isThere && isMadeOf(found, job)
      ? await this.#takeOver(job, found)
      : now(failedBefore(job.workflowId, why));
  }

  #beyondBudget(): WhyNothing {
    const { budget } = this.#options.request();
    const message = `the pipeline's budget of ${budget?.credits} credits does not admit it`;
    return { type: 'BUDGET_EXCEEDED', message };
  }

  /** One that was ended from outside tells nothing of what it has bought: it is asked. */
  async #told(job: Job, item: StepItem): Promise<{ told: StepItem; found?: LookedAt }> {
    if (item.status !== 'FAILED' || item.failure.details !== null) return { told: item };
    const found = await look({ ...this.#toFind(job), asItIs: true });
    if (found.kind !== 'failed') return { told: item };
    return { told: { status: 'FAILED', workflowId: job.workflowId, failure: found.failure }, found };
  }

  /** @param isOwn whether this run may have started it itself */
  async #look(job: Job, isOwn = false): Promise<LookedAt> {
    this.#lookedAt.set(job.path, job.workflowId);
    await this.#outbox.room(jsonBytes(job.input));
    const found = await look({ ...this.#toFind(job), ...(isOwn ? { isOwn } : {}) });
    this.#lookedAt.delete(job.path);
    return found;
  }

  /** A generation that has ended, as a look has found it. */
  #endOf(job: Job, found: LookedAt): Settled {
    const { workflowId } = job;
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

  #begin({ path, workflowId }: Job): void {
    this.#sought.delete(path);
    this.#following.set(path, workflowId);
    this.#options.onStart(path, workflowId);
  }

  #end(path: string): void {
    this.#following.delete(path);
    this.#reserved.delete(path);
  }

  #toFind({ workflowId, step, input, origins }: Job) {
    const { workspace, budget } = this.#options.request();
    const costs = budget !== undefined;
    return { ...orderOf(step, input), workflowId, workspace, origins, costs };
  }
}

/** Whoever meets the generation by itself has to know what it hangs on. */
function forChild({ type, message }: WhyNothing): WhyNothing {
  const own = type === 'BUDGET_EXCEEDED' ? ', or this with a budget of its own' : '';
  return { type, message: `${message} (what stands in the way is the pipeline's: run that again${own})` };
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
