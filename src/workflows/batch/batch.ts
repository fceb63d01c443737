import {
  CancellationScope,
  CancelledFailure,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { BatchRequest, BatchResult, CarriedBatch } from '../../contract/batch.ts';
import { batchProgressQuery, rowStateSignal } from '../../contract/messages.ts';
import { invalidRequest } from '../arguments/invalid-request.ts';
import { readHandedOn } from '../arguments/read-arguments.ts';
import { tellBudgets } from '../book-once.ts';
import { goOn } from '../go-on.ts';
import { keepOrder, type Order } from '../in-order.ts';
import { BatchRun } from './batch-run.ts';
import { describeBatch } from './details.ts';
import { carriedBatch, checkRequest } from './read-arguments.ts';

const { checkCallback } = proxyLocalActivities<Pick<DarkroomActivities, 'checkCallback'>>({
  startToCloseTimeout: '30 seconds',
});

/**
 * Workflow `batch`: a pipeline for each of many rows, so many at once. A row that is there already is not started again.
 * Nothing that becomes of a row fails the batch: its result counts. Before its history gets too long it continues as new.
 *
 * @param handedOn what the run before this one has handed on, where it has continued as new; anything else is refused
 */
export async function batch(request: BatchRequest, handedOn?: CarriedBatch): Promise<BatchResult> {
  const order = keepOrder();
  checkRequest(request);
  if (request.callback !== undefined && handedOn === undefined) {
    const errors = await checkCallback(request.callback);
    if (errors.length > 0) throw invalidRequest(errors);
  }
  const run = new BatchRun(request, readHandedOn(handedOn, carriedBatch) ?? nothingCarried(request), {
    onChange: (progress) => setCurrentDetails(describeBatch(progress)),
  });
  setHandler(batchProgressQuery, () => run.progress, {
    description: 'How many rows are done, failed, running; what they have cost',
  });
  setHandler(rowStateSignal, (said) => run.hear(said), {
    description: 'A row of this batch needs a look or waits for its budget, or no longer does',
  });
  if (handedOn === undefined) await tellBudgets(request, { isAgain: request.again === true });
  const end = await endOf(run, order);
  if ('result' in end) return end.result;
  const { known: _, ...asked } = request; // what was carried tells it, and more
  return await goOn<typeof batch>(asked, end.carried);
}

/** A cancellation is for the rows: their ends are waited for. */
async function endOf(
  run: BatchRun,
  order: Order,
): Promise<{ result: BatchResult } | { carried: CarriedBatch }> {
  try {
    const result = await run.finish();
    if (result !== undefined) return { result };
    const carried = await run.carry(order);
    if (CancellationScope.current().consideredCancelled)
      throw new CancelledFailure('cancelled before it could continue as new'); // the next run would not know of it
    return { carried };
  } catch (error) {
    await CancellationScope.nonCancellable(() => run.atRest());
    throw error;
  }
}

function nothingCarried({ known = { begun: '', completed: '' } }: BatchRequest): CarriedBatch {
  return {
    counts: { completed: 0, failed: 0, refused: 0 },
    usage: NO_USAGE,
    charged: NO_USAGE,
    known,
    page: 0,
    position: 0,
    running: [],
    startedAt: workflowInfo().startTime.getTime(),
  };
}
