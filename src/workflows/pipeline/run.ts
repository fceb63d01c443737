import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { GenerationResult } from '../../contract/generation.ts';
import type { Output } from '../../contract/steps/resolve-input.ts';
import { decided, isOutdated } from '../go-on.ts';
import type { Order } from '../in-order.ts';
import type { Ending } from '../once.ts';
import { Outbox } from '../outbox.ts';
import { ResetWatch } from '../reset-watch.ts';
import { EarlierRuns } from './earlier-runs.ts';
import { type Change, endAt, type State } from './state.ts';

/** A run that settles nothing goes on to this many events before it continues as new (a run may have 50,000), */
const LONGEST_WITHOUT_PROGRESS = 10_000;
/** or to this many bytes: inputs that were sent or refused stand there (a run may have 50 MB). */
const LARGEST_WITHOUT_PROGRESS = 30_000_000;

/** One run of a pipeline: its state, and what hangs on this very run, such as the children that it has started itself. */
export class Run {
  readonly earlier: EarlierRuns;
  readonly outbox = new Outbox();
  readonly resets = new ResetWatch();
  /** Generations that this run has started, by path: the others are followed by looks. */
  readonly started = new Map<string, { at: number; ending: Ending<GenerationResult> }>();
  /** What generations have made, by path: results may leave it out. */
  readonly made = new Map<string, Promise<readonly Output[]>>();
  /** What the work at steps has thrown. */
  readonly broken: unknown[] = [];
  readonly #scope = CancellationScope.current();
  readonly #order: Order;
  #state: State;
  #endedBefore = 0;
  #starting = 0;
  #hasStarted = false;
  #isEnding = false;

  constructor(state: State, order: Order) {
    this.#state = state;
    this.#order = order;
    this.earlier = new EarlierRuns(this);
  }

  /** Goes on from what the run before this one has handed on. */
  goOnFrom(state: State): void {
    this.#state = state;
    this.#endedBefore = endedIn(state);
  }

  get state(): State {
    return this.#state;
  }

  /** The one place where what happens makes another state of it. */
  change(change: Change): void {
    this.#state = change(this.#state);
  }

  /** Whether it only waits for what runs, and then ends: it is cancelled, or the work at a step has thrown. */
  get isStopping(): boolean {
    return this.broken.length > 0 || this.#scope.consideredCancelled;
  }

  /** Whether nothing new may be started, because the run is about to continue as new. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Starts a child; until Temporal has told whether it was started, the run does not continue as new. */
  async starting<T>(start: () => Promise<T>): Promise<T> {
    this.#starting += 1;
    this.#hasStarted = true;
    try {
      return await start();
    } finally {
      this.#starting -= 1;
    }
  }

  /**
   * Whether the run has to go on in a new one, and can: nothing is on its way to being started, nobody is being
   * answered. From then on nothing new is started.
   */
  mustContinueAsNew(): boolean {
    const { continueAsNewSuggested, historyLength, historySize } = workflowInfo();
    const hasProgressed = endedIn(this.#state) > this.#endedBefore;
    const isLarge = historySize > LARGEST_WITHOUT_PROGRESS && this.#hasAdvanced;
    const isLong = historyLength > LONGEST_WITHOUT_PROGRESS || isLarge;
    this.#isEnding = isOutdated() || decided(continueAsNewSuggested && (hasProgressed || isLong));
    return this.#isEnding && this.#starting === 0 && !this.#order.isAnswering();
  }

  /** Whether continuing as new brings it on: the next run would seek once more what this one seeks. */
  get #hasAdvanced(): boolean {
    if (this.#hasStarted) return true;
    const stages = [...this.#state.steps.values()];
    return !stages.some(
      ({ at, ...stage }) => at === 'starting' || ('place' in stage && stage.place !== 'queued'),
    );
  }
}

function endedIn(state: State): number {
  return [...state.steps.keys()].filter((path) => endAt(state, path) !== undefined).length;
}
