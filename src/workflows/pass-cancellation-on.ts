import { CancellationScope, getExternalWorkflowHandle } from '@temporalio/workflow';

/**
 * Does its work; a cancellation that comes meanwhile, or has come before, is passed on to workflows by their ids. No
 * other way reaches those that another run has started, nor a child that has continued as new or was Reset: the SDK
 * asks the run alone that it has started, and the server takes that for done, although the run has closed (1.31).
 *
 * @param workflowIds of those that run, or may
 */
export async function passCancellationOn<T>(
  workflowIds: () => Iterable<string>,
  work: () => Promise<T>,
): Promise<T> {
  const scope = CancellationScope.current();
  let isDone = false;
  const passedOn = scope.cancelRequested.catch(async () => {
    if (!isDone) await CancellationScope.nonCancellable(() => cancelAll([...workflowIds()]));
  });
  try {
    return await work();
  } catch (error) {
    if (scope.consideredCancelled) await passedOn;
    throw error;
  } finally {
    isDone = true;
  }
}

/** Each may have ended meanwhile: then there is nothing to cancel. */
async function cancelAll(workflowIds: readonly string[]): Promise<void> {
  await Promise.allSettled(workflowIds.map((id) => getExternalWorkflowHandle(id).cancel()));
}
