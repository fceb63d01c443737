import { condition, getExternalWorkflowHandle, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import {
  type BatchProgress,
  type BatchRequest,
  type BatchResult,
  type BatchRow,
  type CarriedBatch,
  isToStart,
  type RowLook,
  type RowState,
  USUAL_CONCURRENCY,
} from '../../contract/batch.ts';
import { budgetInWords, RETURNING, reservedInWords } from '../../contract/entities/account.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { releaseRowsSignal } from '../../contract/messages.ts';
import { budgetsBelow } from '../../contract/purchases/payers.ts';
import { WAITING_FOR_BUDGET } from '../../contract/search-attributes.ts';
import { rowRequest } from '../../contract/steps/row-request.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { isLong, isOutdated } from '../go-on.ts';
import { Outbox } from '../outbox.ts';
import { passCancellationOn } from '../pass-cancellation-on.ts';
import { endRows, holdForRow } from './budget.ts';
import { checkRows } from './read-arguments.ts';
import { followRow, isOpen, type LookedAtRow, type RowEnd, runRow, stateOfRow } from './row.ts';
import { RowNeeds } from './row-needs.ts';
import { Tally } from './tally.ts';

const { readRows, surveyRows, accountedRows } = proxyActivities<
  Pick<DarkroomActivities, 'readRows' | 'surveyRows' | 'accountedRows'>
>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

/** Events after which a run starts no more rows and goes on in a new one; a row makes about six. */
const MOST_EVENTS = 3_000;
/** Rows that need a look, as the query tells of them; of more the number is told. */
const MOST_NEEDS = 20;

/**
 * The rows of a batch: a window of pipelines slides over them. A run that has got long hands on to the next one what
 * runs, and that one follows it.
 */
export class BatchRun {
  readonly #request: BatchRequest;
  readonly #tally: Tally;
  readonly #onChange: (progress: BatchProgress) => void;
  readonly #startedAt: number;
  readonly #running = new Map<number, [workflowId: string, digest: string]>();
  readonly #places: readonly number[];
  readonly #needs: RowNeeds;
  readonly #outbox = new Outbox();
  #page: number;
  #position: number;
  #starting = 0;
  /** Rows that are asked what they need: the next run would not know of it. */
  #asking = 0;
  /** Why the next row is not started yet, where it waits for the budget. */
  #holdUp: string | undefined;
  /** Rows that this batch had not been told of were there already. */
  #hasTaken = false;
  #broken: unknown;

  constructor(
    request: BatchRequest,
    carried: CarriedBatch,
    { onChange }: { onChange: (progress: BatchProgress) => void },
  ) {
    this.#onChange = onChange;
    this.#request = request;
    this.#tally = new Tally(carried, workflowInfo().startTime.getTime());
    this.#page = carried.page;
    this.#position = carried.position;
    this.#startedAt = carried.startedAt;
    this.#needs = new RowNeeds(request, (workflowId) => this.#runs(workflowId), carried.needs);
    let before = 0;
    this.#places = request.pages.map(({ rows }) => {
      before += rows;
      return before - rows;
    });
    for (const [place, workflowId, digest] of carried.running)
      this.#begin(place, workflowId, digest, followRow(this.#toLookAt(workflowId, digest)));
  }

  get progress(): BatchProgress {
    const needs = this.#needs.all;
    const more = needs.length - MOST_NEEDS;
    return {
      ...this.#tally.counts,
      rows: this.#rows,
      next: this.#next,
      running: [...this.#running.keys()].sort((a, b) => a - b),
      attention: needs.slice(0, MOST_NEEDS),
      ...(more > 0 ? { moreAttention: more } : {}),
      ...this.#waiting,
      usage: this.#tally.usage,
      startedAt: new Date(this.#startedAt).toISOString(),
    };
  }

  /** @returns undefined where the rest is for a new run */
  async finish(): Promise<BatchResult | undefined> {
    while (this.#page < this.#request.pages.length) {
      if (!(await this.#startPage())) {
        await this.#until(() => this.#isAtRest);
        return undefined;
      }
      await release(this.#request.pages[this.#page]);
      this.#page += 1;
      this.#position = 0;
    }
    await this.#until(() => this.#running.size === 0 || (this.#isDue && this.#isAtRest));
    return this.#running.size === 0 ? this.#tally.result(this.#rows, await this.#told()) : undefined;
  }

  /** What a row needs now. */
  hear(said: RowState): void {
    this.#needs.hear(said);
    this.#onChange(this.progress);
  }

  /** What the next run needs to know. */
  async carry(): Promise<CarriedBatch> {
    return {
      ...this.#tally.carry(await this.#told()),
      page: this.#page,
      position: this.#position,
      running: [...this.#running].map(([place, row]) => [place, ...row]),
      needs: this.#needs.carry(),
      startedAt: this.#startedAt,
    };
  }

  /** Waits until everything that runs has ended, one way or the other. */
  async atRest(): Promise<void> {
    await condition(() => this.#running.size === 0);
  }

  /** @returns false where the rest of the page is for a new run */
  async #startPage(): Promise<boolean> {
    const page = this.#request.pages[this.#page];
    if (page === undefined || this.#position >= page.rows) return true;
    const { workspace = DEFAULT_WORKSPACE } = this.#request.pipeline;
    const rows = checkRows(await readRows({ workflowId: page.workflowId, workspace }), page);
    const ahead = rows.slice(this.#position);
    const known =
      this.#request.again === true
        ? await surveyRows(ahead.map(({ id, digest }) => ({ workflowId: idOf(id), digest, isAgain: true })))
        : [];
    await endRows(
      this.#request,
      known.flatMap((look, index): [string, number][] =>
        look.kind === 'ended' && !isOpen(look) ? [[idOf(ahead[index]?.id ?? ''), look.usage.total]] : [],
      ),
    );
    for (const [index, row] of ahead.entries()) {
      if (this.#isDue || !(await this.#start(row, known[index] ?? { kind: 'missing' }))) return false;
      this.#position += 1;
    }
    return true;
  }

  /** @returns false where the run has got too long to wait for a place in the window */
  async #start(row: BatchRow, known: RowLook): Promise<boolean> {
    const place = this.#next;
    const workflowId = idOf(row.id);
    const { digest } = row;
    const { pipeline, retryFailed } = this.#request;
    if (known.kind === 'different') return this.#passOver();
    const isToRun = isToStart(known, retryFailed);
    if (known.kind === 'ended' && !isToRun && !isOpen(known)) {
      this.#count(known);
      return true;
    }
    await this.#until(() => !this.#mustWait || this.#isDue);
    if (this.#mustWait) return false;
    if (!isToRun) {
      this.#begin(place, workflowId, digest, followRow(this.#toLookAt(workflowId, digest)));
      if (known.kind === 'running') void this.#askFor(workflowId, digest);
      return true;
    }
    const request = rowRequest(pipeline, row, budgetsBelow(workflowInfo().workflowId, this.#request));
    const isAdmitted = request === undefined ? false : await this.#isAdmitted(workflowId);
    if (isAdmitted === undefined) return false;
    const isUntold = known.kind === 'ended' && known.isUntold === true;
    // What its last run has not told the next one does.
    if (known.kind === 'ended' && !(isAdmitted && isUntold))
      this.#tally.charge(known.charged, known.startedAt);
    if (request === undefined) return this.#passOver();
    if (!isAdmitted) {
      this.#tally.refuse();
      return true;
    }
    await this.#outbox.room(jsonBytes(request));
    this.#starting += 1;
    let isStarting = true;
    const end = runRow({
      ...this.#toLookAt(workflowId, digest),
      request,
      isAnother: known.kind === 'ended',
      isAgain: this.#request.again === true,
      isUntold,
      onStart: () => {
        if (isStarting) this.#starting -= 1;
        isStarting = false;
      },
      onThere: () => {
        this.#hasTaken = true;
        void this.#askFor(workflowId, digest);
      },
    });
    this.#begin(place, workflowId, digest, end);
    return true;
  }

  /** @returns undefined where the run has got too long to wait for an answer */
  async #isAdmitted(workflowId: string): Promise<boolean | undefined> {
    const { budget } = this.#request;
    if (budget === undefined) return true;
    const payer = budgetInWords(workflowInfo().workflowId, budget.credits);
    try {
      // What the budget does not admit once, it does not while nobody raises it.
      while (this.#tally.counts.refused === 0) {
        const { size } = this.#running;
        const end = await holdForRow(budget, workflowId);
        if (end?.kind === 'booked' || end?.kind === 'refused') return end.kind === 'booked';
        this.#showHoldUp(end && reservedInWords(payer, end.from));
        // A row that ends may leave something over, and so may one that runs.
        await this.#until(() => this.#running.size < size || this.#isDue, RETURNING.askedWithin);
        if (this.#isDue) return undefined;
      }
      return false;
    } finally {
      this.#showHoldUp(undefined);
    }
  }

  /** It leaves no event. */
  #showHoldUp(holdUp: string | undefined): void {
    if (holdUp === this.#holdUp) return;
    this.#holdUp = holdUp;
    this.#onChange(this.progress);
  }

  /** Rows that wait for their budget. */
  get #waiting(): Pick<BatchProgress, 'waiting'> {
    const { waiting } = this.#needs;
    const notes = [...waiting.map(({ note = WAITING_FOR_BUDGET }) => note), this.#holdUp ?? []].flat();
    const [note] = notes;
    return note === undefined ? {} : { waiting: { rows: notes.length, note } };
  }

  /** When an earlier run of this batch has told the last time what its rows were charged: that is not charged again. */
  async #told(): Promise<number | null> {
    const { workflowId, runId } = workflowInfo();
    return this.#mayBeTold ? await accountedRows({ workflowId, runId }) : null;
  }

  #toLookAt(workflowId: string, digest: string): LookedAtRow {
    return { workflowId, digest, isLimited: this.#isLimited, mayBeTold: () => this.#mayBeTold };
  }

  #passOver(): true {
    this.#tally.countUnfit();
    this.#onChange(this.progress);
    return true;
  }

  #begin(place: number, workflowId: string, digest: string, end: Promise<RowEnd>): void {
    this.#running.set(place, [workflowId, digest]);
    const ended = passCancellationOn(
      () => [workflowId],
      () => end,
    );
    void this.#settle(place, workflowId, ended);
  }

  /** A row that another run has started may have said what it needs before its turn came here. */
  async #askFor(workflowId: string, digest: string): Promise<void> {
    this.#asking += 1;
    const state = await stateOfRow(workflowId, digest).catch(() => null); // cancelled: its end tells enough
    this.#asking -= 1;
    if (state !== null && !this.#needs.hasHeard(workflowId))
      this.hear({ workflowId, step: null, asks: null, state, note: null });
  }

  async #settle(place: number, workflowId: string, end: Promise<RowEnd>): Promise<void> {
    try {
      const settled = await end;
      await endRows(this.#request, [[workflowId, settled.usage.total]]);
      this.#running.delete(place);
      this.#needs.settle(workflowId);
      this.#count(settled);
    } catch (error) {
      this.#running.delete(place);
      this.#broken ??= error;
    }
  }

  #count(end: RowEnd): void {
    this.#tally.count(end);
    this.#onChange(this.progress);
  }

  /** Waits; throws what a row has thrown: a cancellation, or a bug. */
  async #until(holds: () => boolean, longest?: number): Promise<void> {
    const isOver = (): boolean => this.#broken !== undefined || holds();
    await (longest === undefined ? condition(isOver) : condition(isOver, longest));
    if (this.#broken !== undefined) throw this.#broken;
  }

  #runs(workflowId: string): boolean {
    return [...this.#running.values()].some(([row]) => row === workflowId);
  }

  get #isLimited(): boolean {
    return this.#request.budget !== undefined;
  }

  /** Whether an earlier run of this batch may have told what its rows were charged. */
  get #mayBeTold(): boolean {
    const { runId, firstExecutionRunId } = workflowInfo();
    return this.#request.again === true || this.#hasTaken || runId !== firstExecutionRunId;
  }

  get #isAtRest(): boolean {
    return this.#starting === 0 && this.#asking === 0;
  }

  get #mustWait(): boolean {
    return this.#running.size >= (this.#request.concurrency ?? USUAL_CONCURRENCY);
  }

  get #isDue(): boolean {
    return isLong(MOST_EVENTS) || isOutdated();
  }

  get #next(): number {
    return (this.#places[this.#page] ?? this.#rows) + this.#position;
  }

  get #rows(): number {
    return this.#request.pages.reduce((sum, { rows }) => sum + rows, 0);
  }
}

function idOf(row: string): string {
  return `${workflowInfo().workflowId}/${row}`;
}

/** A page whose rows have all been started is not needed any more; one that is gone already is none the worse. */
async function release(page: BatchRequest['pages'][number] | undefined): Promise<void> {
  if (page === undefined) return;
  await getExternalWorkflowHandle(page.workflowId)
    .signal(releaseRowsSignal)
    .catch(() => undefined);
}
