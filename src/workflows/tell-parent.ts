import {
  CancellationScope,
  getExternalWorkflowHandle,
  type SignalDefinition,
  workflowInfo,
} from '@temporalio/workflow';
import { ROW_MEMO, type RowState } from '../contract/batch.ts';
import { rowStateSignal, stepStateSignal } from '../contract/messages.ts';

// What has started a workflow is told that it needs a look, or that it waits for its budget, so that it is found by it. One
// that was started alone, as its memo shows, tells nobody.

/** @param state the value of `DarkroomState`, or that it waits for its budget; undefined: no look is needed any more */
export function tellPipeline(state: string | undefined, note: string | undefined): void {
  const { workflowId, memo } = workflowInfo();
  const path: unknown = memo?.['step'];
  if (typeof path !== 'string' || path === '' || !workflowId.endsWith(`/${path}`)) return;
  const pipelineId = workflowId.slice(0, -path.length - 1);
  tell(pipelineId, stepStateSignal, { path, state: state ?? null, note: note ?? null });
}

export function tellBatch(said: Omit<RowState, 'workflowId'>): void {
  const { workflowId, memo, parent } = workflowInfo();
  if (typeof memo?.[ROW_MEMO] !== 'string' || parent === undefined) return;
  tell(parent.workflowId, rowStateSignal, { workflowId, ...said });
}

/** Nobody waits for it, also where the teller is being cancelled; a parent that is gone needs to know nothing. */
function tell<Said>(parentId: string, signal: SignalDefinition<[Said]>, said: Said): void {
  void CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(parentId)
      .signal(signal, said)
      .catch(() => undefined),
  );
}
