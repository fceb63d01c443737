import { CancellationScope, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { ROW_MEMO, type RowState } from '../../contract/batch.ts';
import { rowStateSignal } from '../../contract/messages.ts';

/**
 * The pipeline of a row tells its batch that it needs a look, so that the batch is found by it. A pipeline of its own
 * tells nobody; a batch that is gone needs to know nothing.
 */
export function tellBatch(said: Omit<RowState, 'workflowId'>): void {
  const { workflowId, memo, parent } = workflowInfo();
  if (typeof memo?.[ROW_MEMO] !== 'string' || parent === undefined) return;
  // Also where the pipeline is being cancelled: nobody waits for it.
  void CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(parent.workflowId)
      .signal(rowStateSignal, { workflowId, ...said })
      .catch(() => undefined),
  );
}
