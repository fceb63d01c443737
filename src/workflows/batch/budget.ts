import { CancellationScope, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { BatchRequest, BatchRow } from '../../contract/batch.ts';
import {
  budgetInWords,
  refusedInWords,
  reservedInWords,
  unansweredInWords,
} from '../../contract/entities/account-words.ts';
import { bookOnce } from '../book-once.ts';

const { bookParts } = proxyLocalActivities<Pick<DarkroomActivities, 'bookParts'>>({
  startToCloseTimeout: '1 minute',
});

/** The budget of a batch: its account holds what a row may cost before that is started. */
export class RowBudget {
  readonly #budget: BatchRequest['budget'];
  readonly #pipeline: BatchRequest['pipeline'];
  readonly #since: number;
  readonly #onChange: () => void;
  #holdUp: string | undefined;
  /** The rows before this place were refused, or were not asked for: one that buys the same was. */
  #refusedUntil = 0;
  #refusal: string | undefined;

  /**
   * @param since when the batch began that has this budget, in milliseconds since the epoch
   * @param onChange called where the next row begins to wait, or no longer does: it leaves no event
   */
  constructor(
    { budget, pipeline }: Pick<BatchRequest, 'budget' | 'pipeline'>,
    since: number,
    onChange: () => void,
  ) {
    this.#pipeline = pipeline;
    this.#budget = budget;
    this.#since = since;
    this.#onChange = onChange;
  }

  get isLimited(): boolean {
    return this.#budget !== undefined;
  }

  /** Why the next row is not started yet, where it waits. */
  get holdUp(): string | undefined {
    return this.#holdUp;
  }

  /** Why a row was refused last, in words. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** How many rows from that place on were refused, or buy the same as one that was. */
  refusedFrom(place: number): number {
    return Math.max(0, this.#refusedUntil - place);
  }

  /**
   * Whether a row may be started. What the budget does not admit once, it does not while nobody raises it: once it has
   * refused a row, those after the next one are not asked for that buy the same as that.
   *
   * @param rows it, and those of its page that come after it
   * @param again waits until it is to be asked once more
   * @returns undefined where `again` has said that it is not
   */
  async admits(
    { place, workflowId, rows }: { place: number; workflowId: string; rows: BatchRow[] },
    again: () => Promise<boolean>,
  ): Promise<boolean | undefined> {
    if (this.#budget === undefined) return true;
    if (this.refusedFrom(place) > 0) return false;
    const { credits: limit } = this.#budget;
    const payer = budgetInWords(workflowInfo().workflowId, limit);
    try {
      for (;;) {
        const end = await bookOnce({
          kind: 'hold',
          workflowId,
          limit,
          since: this.#since,
          pipeline: this.#pipeline,
          rows: this.#refusedUntil > 0 ? rows : rows.slice(0, 1),
        });
        if (end?.kind === 'booked') return true;
        if (end?.kind === 'refused') {
          this.#refusedUntil = place + 1 + (end.alike ?? 0);
          this.#refusal = refusedInWords(payer, end);
          return false;
        }
        this.#show(end === undefined ? unansweredInWords(payer) : reservedInWords(payer, end));
        if (!(await again())) return undefined;
      }
    } finally {
      this.#show(undefined);
    }
  }

  /** What was held for a row that has ended is free. */
  async end(workflowId: string): Promise<void> {
    if (this.#budget === undefined) return;
    await CancellationScope.nonCancellable(() => bookParts([{ kind: 'end', workflowId }]));
  }

  #show(holdUp: string | undefined): void {
    if (holdUp === this.#holdUp) return;
    this.#holdUp = holdUp;
    this.#onChange();
  }
}
