import { workflowInfo } from '@temporalio/workflow';
import {
  type BatchProgress,
  type BatchRequest,
  type BatchResult,
  type BatchRow,
  type CarriedBatch,
  isToStart,
  type RowState,
  USUAL_CONCURRENCY,
} from '../../contract/batch.ts';
import { RETURNING } from '../../contract/entities/account.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { budgetsBelow } from '../../contract/purchases/payers.ts';
import { rowRequest } from '../../contract/steps/row-request.ts';
import { isLong, isOutdated } from '../go-on.ts';
import type { Order } from '../in-order.ts';
import { Outbox } from '../outbox.ts';
import { RowBudget } from './budget.ts';
import { EarlierRuns, idOf } from './earlier-runs.ts';
import { Pages } from './pages.ts';
import { followRow, isOpen, type LookedAtRow, lookOnce, type RowEnd, runRow } from './row.ts';
import { RowNeeds } from './row-needs.ts';
import { Tally } from './tally.ts';
import { Window } from './window.ts';

/** Events after which a run starts no more rows and goes on in a new one; a row makes about six. */
const MOST_EVENTS = 3_000;
/**
 * The rows of a batch: a window of pipelines slides over them. A run that has got long hands on to the next one what
 * runs, and that one follows it.
 */
export class BatchRun {
  readonly #request: BatchRequest;
  readonly #onChange: () => void;
  readonly #startedAt: number;
  readonly #pages: Pages;
  readonly #window: Window;
  readonly #budget: RowBudget;
  readonly #needs: RowNeeds;
  readonly #tally: Tally;
  readonly #earlier: EarlierRuns;
  readonly #outbox = new Outbox();
  readonly #starting = new Set<string>();

  constructor(
    request: BatchRequest,
    carried: CarriedBatch,
    { onChange }: { onChange: (progress: BatchProgress) => void },
  ) {
    this.#request = request;
    this.#onChange = () => onChange(this.progress);
    this.#startedAt = carried.startedAt;
    this.#earlier = new EarlierRuns(request);
    this.#pages = new Pages(request, carried);
    this.#window = new Window(({ place, workflowId }, end) => {
      this.#needs.settle(workflowId);
      this.#count(end, place);
    });
    this.#budget = new RowBudget(request, carried.startedAt, this.#onChange);
    this.#needs = new RowNeeds(request, carried.needs, {
      isRunning: (workflowId) => this.#window.has(workflowId),
      onChange: this.#onChange,
    });
    this.#tally = new Tally(carried, workflowInfo().startTime.getTime());
    for (const row of carried.running) this.#follow(row);
  }

  get progress(): BatchProgress {
    return {
      ...this.#tally.counts,
      rows: this.#pages.rows,
      next: this.#pages.next,
      running: this.#window.places,
      ...this.#needs.told(this.#budget.holdUp),
      usage: this.#tally.usage,
      startedAt: new Date(this.#startedAt).toISOString(),
    };
  }

  /** @returns undefined where the rest is for a new run */
  async finish(): Promise<BatchResult | undefined> {
    while (!this.#pages.areOver) {
      if (!(await this.#startPage())) {
        await this.#window.until(() => this.#isAtRest);
        return undefined;
      }
      await this.#pages.turn();
    }
    await this.#window.until(() => this.#window.size === 0 || (this.#isDue && this.#isAtRest));
    return this.#window.size === 0
      ? this.#tally.result(this.#pages.rows, await this.#earlier.toldUntil())
      : undefined;
  }

  /** What a row needs now. */
  hear(said: RowState): void {
    this.#needs.hear(said);
  }

  /** What the next run needs to know. */
  async carry(order: Order): Promise<CarriedBatch> {
    const toldUntil = await this.#earlier.toldUntil();
    order.hearAll();
    return {
      ...this.#tally.carry(toldUntil),
      ...this.#pages.carry(),
      running: this.#window.carry(),
      needs: this.#needs.carry(),
      startedAt: this.#startedAt,
    };
  }

  /** Waits until everything that runs has ended, one way or the other. */
  async atRest(): Promise<void> {
    await this.#window.untilEmpty();
  }

  /** @returns false where the rest of the page is for a new run */
  async #startPage(): Promise<boolean> {
    const ahead = await this.#pages.read();
    if (this.#earlier.isAgain) await this.#earlier.survey(ahead);
    for (const [index, row] of ahead.entries()) {
      if (this.#isDue || !(await this.#start(row, ahead.slice(index)))) return false;
      this.#pages.pass();
    }
    return true;
  }

  /**
   * @param rows it, and those of the page that come after it
   * @returns false where the run has got too long to wait for a place in the window
   */
  async #start(row: BatchRow, rows: BatchRow[]): Promise<boolean> {
    const workflowId = idOf(row.id);
    const { digest } = row;
    const place = this.#pages.next;
    const known = this.#tally.known(place, this.#earlier.known(workflowId));
    const { pipeline, retryFailed } = this.#request;
    if (known.kind === 'different') return this.#passOver();
    if (known.kind !== 'missing') this.#tally.begin(place);
    const isToRun = isToStart(known, retryFailed);
    if (known.kind === 'gone' || (known.kind === 'ended' && !isToRun && !isOpen(known))) {
      this.#count(known, place);
      return true;
    }
    await this.#window.until(() => !this.#mustWait || this.#isDue);
    if (this.#mustWait) return false;
    if (!isToRun) {
      this.#follow([place, workflowId, digest]);
      if (known.kind === 'running') void this.#needs.ask(workflowId, digest);
      return true;
    }
    const { workflowId: batch } = workflowInfo();
    const budgets = budgetsBelow({ workflowId: batch, startedAt: this.#startedAt }, this.#request);
    const request = rowRequest(pipeline, row, budgets);
    const wasRefused = this.#budget.refusedFrom(place) > 0;
    const isAdmitted = request !== undefined && (await this.#isAdmitted({ place, workflowId, rows }));
    if (isAdmitted === undefined) return false;
    const refused = this.#budget.refusedFrom(place);
    if (!wasRefused && refused > 0) {
      // What is there is not refused, whatever was known of it before.
      await this.#earlier.survey(rows.slice(0, refused));
      return await this.#start(row, rows);
    }
    // What its last run has not told the next one does.
    if (known.kind === 'ended' && !isAdmitted)
      this.#tally.add(isOpen(known) ? await lookOnce(this.#toLookAt(workflowId, digest)) : known);
    if (request === undefined) return this.#passOver();
    if (!isAdmitted) {
      this.#tally.refuse(this.#budget.refusal);
      return true;
    }
    await this.#outbox.room(jsonBytes(request));
    this.#starting.add(workflowId);
    this.#tally.begin(place);
    this.#begin([place, workflowId, digest], () =>
      runRow({
        ...this.#toLookAt(workflowId, digest),
        request,
        isAnother: known.kind === 'ended',
        isAgain: this.#request.again === true,
        onStart: () => void this.#starting.delete(workflowId),
        onThere: () => {
          this.#earlier.notice();
          void this.#needs.ask(workflowId, digest);
        },
      }),
    );
    return true;
  }

  /** @returns undefined where the run has got too long to wait for an answer */
  async #isAdmitted(row: Parameters<RowBudget['admits']>[0]): Promise<boolean | undefined> {
    return await this.#budget.admits(row, async () => {
      const { size } = this.#window;
      // A row that ends may leave something over, and so may one that runs.
      await this.#window.until(() => this.#window.size < size || this.#isDue, RETURNING.askedWithin);
      return !this.#isDue;
    });
  }

  #passOver(): true {
    this.#tally.countUnfit();
    this.#onChange();
    return true;
  }

  #follow([place, workflowId, digest]: CarriedBatch['running'][number]): void {
    this.#begin([place, workflowId, digest], () => followRow(this.#toLookAt(workflowId, digest)));
  }

  #begin(row: CarriedBatch['running'][number], run: () => Promise<RowEnd>): void {
    const [, workflowId] = row;
    this.#window.begin(row, async () => {
      const end = await run();
      await this.#budget.end(workflowId);
      return end;
    });
  }

  #count(end: RowEnd, place: number): void {
    this.#tally.count(end, place);
    this.#onChange();
  }

  #toLookAt(workflowId: string, digest: string): LookedAtRow {
    const { isLimited } = this.#budget;
    return { workflowId, digest, isLimited, mayBeTold: () => this.#earlier.mayHaveTold };
  }

  get #isAtRest(): boolean {
    return this.#starting.size === 0 && !this.#needs.isAsking;
  }

  get #mustWait(): boolean {
    return this.#window.size >= (this.#request.concurrency ?? USUAL_CONCURRENCY);
  }

  get #isDue(): boolean {
    return isLong(MOST_EVENTS) || isOutdated();
  }
}
