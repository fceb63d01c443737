import { CancellationScope, getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { stepStateSignal } from '../contract/messages.ts';

/**
 * A step's generation tells its pipeline that it needs a look, so that the pipeline is found by it. Which pipeline
 * started it stands in its memo; a generation of its own tells nobody. A pipeline that is gone needs to know nothing.
 *
 * @param state the value of `DarkroomState`, or that it waits for its budget; undefined: no look is needed any more
 */
export function tellPipeline(state: string | undefined, note: string | undefined): void {
  const { workflowId, memo } = workflowInfo();
  const path: unknown = memo?.['step'];
  if (typeof path !== 'string' || path === '' || !workflowId.endsWith(`/${path}`)) return;
  const pipelineId = workflowId.slice(0, -path.length - 1);
  // Also where the generation is being cancelled: nobody waits for it.
  void CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(pipelineId)
      .signal(stepStateSignal, { path, state: state ?? null, note: note ?? null })
      .catch(() => undefined),
  );
}
