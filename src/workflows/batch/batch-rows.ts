import { condition, setHandler } from '@temporalio/workflow';
import type { BatchPage } from '../../contract/batch.ts';
import { releaseRowsSignal } from '../../contract/messages.ts';
import { checkPage } from './read-arguments.ts';

/** A page of a batch that nobody has begun or ended is kept for so long. */
const KEPT = '30 days';

/** Workflow `batchRows`: keeps a page of a batch's rows, in its argument, until the batch is over. */
export async function batchRows(page: BatchPage): Promise<void> {
  checkPage(page);
  let isOver = false;
  setHandler(releaseRowsSignal, () => {
    isOver = true;
  });
  await condition(() => isOver, KEPT);
}
