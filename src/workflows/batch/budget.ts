import { CancellationScope, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { BatchRequest } from '../../contract/batch.ts';
import { budgetInWords, reservedInWords, unansweredInWords } from '../../contract/entities/account.ts';
import { bookOnce } from '../book-once.ts';

const { bookParts } = proxyLocalActivities<Pick<DarkroomActivities, 'bookParts'>>({
  startToCloseTimeout: '1 minute',
});

/** The budget of a batch: its account holds what a row may cost before that is started. */
export class RowBudget {
  readonly #budget: BatchRequest['budget'];
  readonly #since: number;
  readonly #onChange: () => void;
  #holdUp: string | undefined;

  /**
   * @param since when the batch began that has this budget, in milliseconds since the epoch
   * @param onChange called where the next row begins to wait, or no longer does: it leaves no event
   */
  constructor({ budget }: Pick<BatchRequest, 'budget'>, since: number, onChange: () => void) {
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

  /**
   * Whether a row may be started.
   *
   * @param again waits until it is to be asked once more
   * @returns undefined where `again` has said that it is not
   */
  async admits(workflowId: string, again: () => Promise<boolean>): Promise<boolean | undefined> {
    if (this.#budget === undefined) return true;
    const { credits: limit } = this.#budget;
    const payer = budgetInWords(workflowInfo().workflowId, limit);
    try {
      for (;;) {
        const end = await bookOnce({ kind: 'hold', workflowId, limit, since: this.#since });
        if (end?.kind === 'booked' || end?.kind === 'refused') return end.kind === 'booked';
        this.#show(end === undefined ? unansweredInWords(payer) : reservedInWords(payer, end.from));
        if (!(await again())) return undefined;
      }
    } finally {
      this.#show(undefined);
    }
  }

  /** What was held for rows that have ended is free. @param rows with what each has cost in all */
  async end(rows: [workflowId: string, credits: number][]): Promise<void> {
    if (this.#budget === undefined || rows.length === 0) return;
    const bookings = rows.map(([workflowId, credits]) => ({ kind: 'end', workflowId, credits }) as const);
    await CancellationScope.nonCancellable(() => bookParts(bookings));
  }

  #show(holdUp: string | undefined): void {
    if (holdUp === this.#holdUp) return;
    this.#holdUp = holdUp;
    this.#onChange();
  }
}
