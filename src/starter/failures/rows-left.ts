import type { BatchResult } from '../../contract/batch.ts';

/** A batch has ended, and not every row is completed. */
export class RowsLeft extends Error {
  override readonly name = 'RowsLeft';
  readonly result: BatchResult & { results?: string };

  constructor(message: string, result: BatchResult & { results?: string }) {
    super(message);
    this.result = result;
  }
}
