import { addUsage, type Usage, usageOf } from '../../api/records/usage.ts';
import { cut } from '../../api/text/cut.ts';
import type { BatchCounts, BatchResult, CarriedBatch, KnownRows, RowLook } from '../../contract/batch.ts';
import { Places } from '../../contract/places.ts';
import { LONGEST_REFUSAL } from './read-arguments.ts';
import { type RowEnd, UNFIT } from './row.ts';

type Counted = Pick<CarriedBatch, 'counts' | 'usage' | 'charged' | 'known'>;

/** What has become of a batch's rows so far, and what they have cost. */
export class Tally {
  readonly #begun: Places;
  readonly #completed: Places;
  readonly #counts: BatchCounts;
  #usage: Usage;
  /** What the rows were charged, and when they were started: an earlier run of the batch may have told it. */
  readonly #charges: { at: number; usage: Usage }[];

  /** @param startedAt when the run started that was handed this on, in milliseconds since the epoch */
  constructor({ counts, usage, charged, known }: Counted, startedAt: number) {
    this.#begun = new Places(known.begun);
    this.#completed = new Places(known.completed);
    this.#counts = { ...counts };
    this.#usage = usage;
    this.#charges = [{ at: startedAt, usage: charged }];
  }

  get counts(): BatchCounts {
    return { ...this.#counts };
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** For the next run of a batch that continues as new. @param told see `charged` */
  carry(told: number | null): Counted {
    return { counts: this.counts, usage: this.#usage, charged: this.#charged(told), known: this.#known };
  }

  /** A row is there, or is about to be. */
  begin(place: number): void {
    this.#begun.add(place);
  }

  /** @param look of a row that is ahead */
  known(place: number, look: RowLook): RowLook {
    const isGone = look.kind === 'missing' && this.#begun.has(place);
    return isGone ? { ...UNFIT, kind: 'gone', isCompleted: this.#completed.has(place) } : look;
  }

  /** @param place undefined: of a row that has not begun */
  count(end: RowEnd, place?: number): void {
    this.#counts[end.isCompleted ? 'completed' : 'failed'] += 1;
    if (place !== undefined && end.isCompleted) this.#completed.add(place);
    this.add(end);
  }

  /** What a row has cost that is not counted as ended. */
  add({ usage, charged, startedAt: at }: Pick<RowEnd, 'usage' | 'charged' | 'startedAt'>): void {
    this.#usage = addUsage(this.#usage, usage);
    if (charged.total > 0) this.#charges.push({ at, usage: charged });
  }

  /** A row that cannot be run: its id belongs to another request, or it makes one that is too large. */
  countUnfit(): void {
    this.count(UNFIT);
  }

  /** A row that the budget does not admit. @param why in words */
  refuse(why: string | undefined): void {
    this.#counts.refused += 1;
    if (why !== undefined) this.#counts.refusal = cut(why, LONGEST_REFUSAL);
  }

  /** @param rows of the whole batch */
  result(rows: number, told: number | null): BatchResult {
    const { completed } = this.#counts;
    return {
      status: completed === rows ? 'COMPLETED' : completed === 0 ? 'FAILED' : 'PARTIAL',
      rows,
      ...this.#counts,
      usage: this.#usage,
      charged: this.#charged(told),
      known: this.#known,
    };
  }

  get #known(): KnownRows {
    return { begun: this.#begun.toJSON(), completed: this.#completed.toJSON() };
  }

  /**
   * @param told when the last earlier run of the batch ended that has told its charges; null: none has. It had waited
   *   for all that was started by then
   */
  #charged(told: number | null): Usage {
    return usageOf(this.#charges.filter(({ at }) => at > (told ?? -Infinity)));
  }
}
