import { allHandlersFinished, workflowInfo } from '@temporalio/workflow';
import { digestOf } from '../../api/input/field-digests.ts';
import { NO_USAGE, subtractUsage } from '../../api/records/usage.ts';
import { MOST_GENERATIONS, MOST_RESULT_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest, PipelineStep, StepItem, StepResult } from '../../contract/pipeline.ts';
import { Prices } from '../../contract/purchases/prices.ts';
import type { CarriedPipeline, GivenInput } from '../../contract/steps/carried-pipeline.ts';
import { type FoundReference, findReferences, stepsOf } from '../../contract/steps/references.ts';
import {
  type Output,
  outputsOf,
  resolveInput,
  type Source,
  type Taken,
} from '../../contract/steps/resolve-input.ts';
import { generationId } from '../../contract/steps/step-ids.ts';
import { isOutdated } from '../go-on.ts';
import { passCancellationOn } from '../pass-cancellation-on.ts';
import { allOf } from './all-of.ts';
import { type Attention, stepOf } from './attention.ts';
import { Budget } from './budget.ts';
import { type Carried, carry, unpack } from './carried.ts';
import { failedBefore } from './child.ts';
import { EarlierRuns } from './earlier-runs.ts';
import { itemsOf } from './fan-out.ts';
import { Generations } from './generations.ts';
import { type Answer, inputOf, type People } from './people.ts';
import { Results } from './results.ts';
import type { Shown } from './shown.ts';
import { Sources } from './sources.ts';
import { costsOf, type StepEnd, skipped, skippedBecause, statusOf, whyUnusable } from './step-result.ts';
import { whyNot } from './why-not.ts';

/** A run that settles nothing goes on to this many events before it continues as new (a run may have 50,000), */
const LONGEST_WITHOUT_PROGRESS = 10_000;
/** or to this many bytes: inputs that were sent or refused stand there (a run may have 50 MB). */
const LARGEST_WITHOUT_PROGRESS = 30_000_000;

/**
 * The steps of a pipeline: each starts as soon as what it refers to is done, so independent steps run side by side. A
 * failed step skips what depends on it and nothing else.
 */
export class PipelineRun {
  readonly #people: People;
  readonly #attention: Attention;
  readonly #shown: Shown;
  readonly #carried: Carried;
  readonly #budget: Budget;
  readonly #prices: Prices;
  readonly #earlier: EarlierRuns;
  readonly #generations: Generations;
  readonly #ends = new Map<string, Promise<StepEnd>>();
  readonly #sources: Sources;
  readonly #settledBefore: number;
  readonly results: Results;
  /** As it was asked for: who asks again is known by it. */
  readonly asked: PipelineRequest;
  readonly #replaced: Map<string, Record<string, unknown>>;
  readonly #given: Map<string, GivenInput>;
  /** By path, the input that an earlier run was given after the present one had failed. */
  readonly #next = new Map<string, Record<string, unknown>>();
  #request: PipelineRequest;
  #isEnding = false;

  constructor(
    request: PipelineRequest,
    carried: CarriedPipeline,
    { people, shown, attention }: { people: People; shown: Shown; attention: Attention },
  ) {
    this.asked = request;
    this.#request = request;
    this.#replaced = new Map(Object.entries(carried.replaced ?? {}));
    this.#given = new Map(Object.entries(carried.given ?? {}));
    for (const [name, input] of this.#replaced) this.#request = this.withInput(name, input);
    this.#people = people;
    this.#attention = attention;
    this.#shown = shown;
    this.#carried = unpack(carried);
    this.results = new Results(MOST_RESULT_BYTES, this.#carried.settled, carried.tried);
    this.#sources = new Sources(this.results, (name) => this.#end(name));
    this.#settledBefore = this.results.size;
    this.#budget = new Budget(request.budget?.credits, carried.spent);
    this.#prices = new Prices(carried.prose, carried.prices);
    this.#earlier = new EarlierRuns({
      request: () => this.#request,
      budget: this.#budget,
      counted: carried.counted,
    });
    if (carried.runsAgain === true) this.#earlier.notice();
    this.#generations = new Generations({
      request: () => this.#request,
      results: this.results,
      budget: this.#budget,
      prices: this.#prices,
      earlier: this.#earlier,
      following: carried.following.map((path) => [path, this.#idOf(path)]),
      reserved: carried.reserved ?? [],
      isEnding: () => this.#isEnding,
      onStart: (path, workflowId) => shown.started(stepOf(path), workflowId),
      onLook: (path, state) => attention.hear({ path, state, note: null }),
    });
    attention.open(request, {
      isRunning: (path) => this.#generations.isFollowing(path),
      carried: carried.attention,
    });
    shown.expect(request.steps);
    for (const [path, { usage }] of this.results.costs()) shown.spent(stepOf(path), usage);
    for (const [name, { status, paths }] of this.#carried.done)
      shown.done(name, status, whyNot(this.results, paths));
  }

  /** As it is by now: people may have replaced inputs. */
  get request(): PipelineRequest {
    return this.#request;
  }

  /** Inputs that people have put in the place of the request's, by step. */
  get replaced(): Record<string, Record<string, unknown>> {
    return Object.fromEntries(this.#replaced);
  }

  /** Whether earlier runs of this id have bought steps, as far as this one has noticed. */
  get runsAgain(): boolean {
    return this.#earlier.areKnown;
  }

  /** How every step has ended, in the order of the request. Waits for all of them even where one is cancelled. */
  async finish(): Promise<Map<string, StepEnd>> {
    const names = Object.keys(this.#request.steps);
    const ends = await passCancellationOn(
      () => this.#generations.workflowIds,
      () => allOf(names.map((name) => this.#end(name))),
    );
    return new Map(ends.map((end, index) => [names[index] ?? '', end]));
  }

  /**
   * Whether the run has to go on in a new one, and can: nothing is on its way to being started, nobody is being
   * answered. From then on nothing new is started.
   */
  mustContinueAsNew(): boolean {
    const { continueAsNewSuggested, historyLength, historySize } = workflowInfo();
    const hasProgressed = this.results.size > this.#settledBefore;
    const isLarge = historySize > LARGEST_WITHOUT_PROGRESS && this.#generations.hasAdvanced;
    const isLong = historyLength > LONGEST_WITHOUT_PROGRESS || isLarge;
    this.#isEnding = isOutdated() || (continueAsNewSuggested && (hasProgressed || isLong));
    return this.#isEnding && !this.#generations.isStarting && allHandlersFinished();
  }

  /** What the next run needs to know. */
  carry(): CarriedPipeline {
    return carry(this.#carried, {
      request: this.asked,
      replaced: this.replaced,
      given: Object.fromEntries(this.#given),
      prose: this.#prices.prose,
      prices: this.#prices.entries(),
      results: this.results,
      following: this.#generations.following,
      reserved: this.#generations.reserved,
      runsAgain: this.#earlier.areKnown,
      counted: this.#earlier.counted,
      spent: this.#budget.spent,
      attention: this.#attention.carry(),
    });
  }

  /** A step's input as a person wants it. */
  withInput(name: string, input: Record<string, unknown>): PipelineRequest {
    const step = { ...this.#stepNamed(name), input };
    return { ...this.#request, steps: { ...this.#request.steps, [name]: step } };
  }

  #end(name: string): Promise<StepEnd> {
    const known = this.#ends.get(name);
    if (known !== undefined) return known;
    const ending = this.#runStep(name);
    this.#ends.set(name, ending);
    return ending;
  }

  async #runStep(name: string): Promise<StepEnd> {
    const { approved, done } = this.#carried;
    const known = done.get(name);
    if (known !== undefined) return known;
    let isAsked = false;
    for (;;) {
      const step = this.#stepNamed(name);
      const { references } = findReferences(step.input, '');
      const needs = await allOf(
        stepsOf(references).map(async (need) => [need, await this.#sources.of(need)] as const),
      );
      const sources = new Map(needs);
      const broken = needs.find(([, { status, outputs }]) => outputs.length === 0 || status === 'FAILED');
      if (broken !== undefined) return this.#skip(name, skipped(broken[0], whyUnusable(broken[1].status)));
      if (step.approve === true && !approved.has(name)) {
        const answer = await this.#ask(name, 'approval', 'what it needs is done: approve or reject it');
        if (answer.action === 'reject') return this.#skip(name, skippedBecause('a person has rejected it'));
        approved.add(name);
        this.#replaceInput(name, inputOf(answer));
        continue;
      }
      const end = await this.#runGenerations(name, references, sources, isAsked);
      const failed = end.paths.filter((path) => this.results.get(path)?.item.status === 'FAILED');
      if (step.onFailure !== 'hold' || failed.length === 0) return this.#finishStep(name, end);
      const next = this.#nextOf(failed);
      isAsked = next === undefined;
      const answer: Answer =
        next === undefined
          ? await this.#ask(name, 'held', whyNot(this.results, failed) ?? '')
          : { action: 'retry', input: next };
      if (answer.action === 'fail') return this.#finishStep(name, end);
      if (answer.action === 'skip') {
        for (const path of failed) {
          this.results.supersede(path);
          this.#settle(path, skippedBecause('a person has skipped it'));
        }
        return this.#finishStep(name, { ...end, status: this.#statusOf(end) });
      }
      for (const path of failed) this.results.supersede(path);
      this.#giveInput(name, inputOf(answer));
    }
  }

  async #runGenerations(
    name: string,
    references: readonly FoundReference[],
    sources: ReadonlyMap<string, Source>,
    isAsked: boolean,
  ): Promise<StepEnd> {
    const names = new Map(
      [...sources].map(([step, { outputs }]) => [step, new Map(outputs.map((one) => [one.name, one]))]),
    );
    const run = (path: string, taken: Taken | undefined): Promise<void> =>
      this.#runGeneration(path, { sources, taken, isAsked, made: (step) => names.get(step) ?? new Map() });
    const items = await itemsOf(name, references, sources, {
      params: this.#request.params,
      assigned: this.#carried.assigned,
      earlier: this.#earlier,
    });
    if (items === undefined) {
      await run(name, undefined);
      return this.#ended([name], false);
    }
    if (items.size > MOST_GENERATIONS) {
      const message = `would fan out into ${items.size} generations; at most ${MOST_GENERATIONS} are taken`;
      this.#settle(name, failedBefore(this.#idOf(name), { type: 'INVALID_REQUEST', message }));
      return this.#ended([name], false);
    }
    const paths = [...items].map(([index, taken]) => [`${name}/${index}`, taken] as const);
    await allOf(paths.map(([path, taken]) => run(path, taken)));
    return this.#ended(
      paths.map(([path]) => path),
      true,
    );
  }

  async #runGeneration(
    path: string,
    {
      sources,
      taken,
      isAsked,
      made,
    }: {
      sources: ReadonlyMap<string, Source>;
      taken: Taken | undefined;
      isAsked: boolean;
      made: (step: string) => ReadonlyMap<string, Output>;
    },
  ): Promise<void> {
    const step = this.#stepNamed(stepOf(path));
    const isKnown = this.results.get(path) !== undefined;
    const resolved = resolveInput(step.input, sources, this.#request.params ?? {}, taken);
    if ('missing' in resolved) {
      if (!isKnown) this.#settle(path, skipped(resolved.step, resolved.missing));
      return;
    }
    const workflowId = this.#idOf(path);
    const isGiven = this.#given.has(stepOf(path));
    const job = { path, workflowId, isGiven, isAsked, step, ...resolved, made };
    const { item, countedBefore, next } = await this.#generations.run(job);
    if (next !== undefined) this.#next.set(path, next);
    this.#attention.settle(path);
    if (isKnown) return;
    this.#sources.note(path, outputsOf(item));
    // A further try may have adopted what the one before it has bought: that is counted there.
    const { usage, charged } = costsOf(item);
    const own = subtractUsage(charged, countedBefore?.usage ?? NO_USAGE);
    this.#shown.spent(stepOf(path), this.results.wasTried(path) ? own : usage);
  }

  async #ask(name: string, kind: 'approval' | 'held', note: string): Promise<Answer> {
    this.#shown.waits(name, kind, note);
    const answer = await this.#people.ask(name, kind, note);
    this.#shown.waits(name, 'pending');
    return answer;
  }

  /** The input that earlier runs were given after all of these had failed there. */
  #nextOf(failed: readonly string[]): Record<string, unknown> | undefined {
    const inputs = failed.map((path) => this.#next.get(path));
    for (const path of failed) this.#next.delete(path);
    return inputs.includes(undefined) ? undefined : inputs[0];
  }

  /** An input for a step whose first one was tried already: what it buys has another name. */
  #giveInput(name: string, input: Record<string, unknown> | undefined): void {
    if (input === undefined) return;
    const first = this.#given.get(name)?.first ?? digestOf(this.#stepNamed(name).input);
    this.#given.set(name, { first, last: digestOf(input) });
    this.#replaceInput(name, input);
  }

  #idOf(path: string): string {
    const { workflowId } = workflowInfo();
    const given = this.#given.get(stepOf(path));
    return generationId(workflowId, path, given?.last === given?.first ? undefined : given?.last);
  }

  #replaceInput(name: string, input: Record<string, unknown> | undefined): void {
    if (input === undefined) return;
    this.#replaced.set(name, input);
    this.#request = this.withInput(name, input);
  }

  #skip(name: string, item: StepItem): StepEnd {
    this.#settle(name, item);
    return this.#finishStep(name, this.#ended([name], false));
  }

  #settle(path: string, item: StepItem): void {
    this.results.settle(path, { item, startedAt: Date.now() });
  }

  #ended(paths: readonly string[], isFannedOut: boolean): StepEnd {
    const end: StepEnd = { status: 'COMPLETED', paths, isFannedOut };
    return { ...end, status: this.#statusOf(end) };
  }

  #statusOf({ paths, isFannedOut }: StepEnd): StepResult['status'] {
    const items = paths.flatMap((path) => this.results.get(path)?.item ?? []);
    const [only] = items;
    return isFannedOut || only === undefined ? statusOf(items) : only.status;
  }

  #finishStep(name: string, end: StepEnd): StepEnd {
    this.#carried.done.set(name, end);
    this.#shown.done(name, end.status, whyNot(this.results, end.paths));
    return end;
  }

  #stepNamed(name: string): PipelineStep {
    const { steps } = this.#request;
    const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
    if (step === undefined) throw new Error(`no step ${name}`); // names come from the request
    return step;
  }
}
