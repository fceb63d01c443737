import { addUsage, NO_USAGE } from '../../api/records/usage.ts';
import type { BatchCounts, BatchResult, CarriedBatch } from '../../contract/batch.ts';
import type { RowEnd } from './row.ts';

/** What has become of a batch's rows so far, and what they have cost. */
export class Tally {
  readonly #counts: BatchCounts;
  #usage: BatchResult['usage'];
  #charged: BatchResult['charged'];

  constructor({ counts, usage, charged }: Pick<CarriedBatch, 'counts' | 'usage' | 'charged'>) {
    this.#counts = { ...counts };
    this.#usage = usage;
    this.#charged = charged;
  }

  get counts(): BatchCounts {
    return { ...this.#counts };
  }

  get usage(): BatchResult['usage'] {
    return this.#usage;
  }

  /** For the next run of a batch that continues as new. */
  carry(): Pick<CarriedBatch, 'counts' | 'usage' | 'charged'> {
    return { counts: this.counts, usage: this.#usage, charged: this.#charged };
  }

  count({ isCompleted, usage, charged }: RowEnd): void {
    this.#counts[isCompleted ? 'completed' : 'failed'] += 1;
    this.#usage = addUsage(this.#usage, usage);
    this.#charged = addUsage(this.#charged, charged);
  }

  /** A row that cannot be run: its id belongs to another request, or it makes one that is too large. */
  countUnfit(): void {
    this.count({ kind: 'ended', isCompleted: false, usage: NO_USAGE, charged: NO_USAGE });
  }

  /** A row that the budget does not admit. */
  refuse(): void {
    this.#counts.refused += 1;
  }

  /** @param rows of the whole batch */
  result(rows: number): BatchResult {
    const { completed } = this.#counts;
    return {
      status: completed === rows ? 'COMPLETED' : completed === 0 ? 'FAILED' : 'PARTIAL',
      rows,
      ...this.#counts,
      usage: this.#usage,
      charged: this.#charged,
    };
  }
}
