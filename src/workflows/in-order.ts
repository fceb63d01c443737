import { CancellationScope, condition, type WorkflowInfo, workflowInfo } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';

/** What a run reads of its place in the history. */
type Place = Pick<
  WorkflowInfo,
  'historyLength' | 'historySize' | 'continueAsNewSuggested' | 'targetWorkerDeploymentVersionChanged'
> & { now: number };

/**
 * From here on what comes while a local activity is open is told after its end, and until then this run's clock and the
 * length of its history stand still. To be called at the start of a workflow that has local activities.
 *
 * Where a query is answered while a local activity ends, the SDK completes the workflow task with its marker and tells the
 * workflow of the end in the next task: with what else that one tells, and at a later time. A replay tells of the end with
 * the marker, before all that. Code that goes by the order, or by the time, then takes another way, and the run is stuck.
 */
export function keepOrder(): void {
  const activator = getActivator();
  let place = placeNow();
  let told = place;
  let open = 0;
  activator.interceptors.outbound.push({
    async scheduleLocalActivity(input, next) {
      open += 1;
      try {
        return await next(input);
      } finally {
        open -= 1;
      }
    },
  });
  activator.interceptors.internals.push({
    activate(input, next) {
      if (input.batchIndex === 0) told = placeNow();
      if (open === 0) place = told;
      show();
      next(input);
    },
  });
  activator.interceptors.inbound.push({
    handleSignal: (input, next) => inTurn(() => next(input)),
    handleUpdate: (input, next) => inTurn(() => next(input)),
  });

  async function untilTold(): Promise<void> {
    await CancellationScope.nonCancellable(() => condition(() => open === 0));
    // One that was told before may have begun the next one.
    if (open > 0) return await untilTold();
    place = told;
    show();
  }

  /** At once where it can be: then a handler has run before what waits for it looks again. */
  async function inTurn<T>(handle: () => Promise<T>): Promise<T> {
    if (open > 0) await untilTold();
    return await handle();
  }

  function show(): void {
    const { now, ...info } = place;
    activator.now = now;
    activator.mutateWorkflowInfo((was) => ({ ...was, ...info }));
  }

  function placeNow(): Place {
    const { historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } =
      workflowInfo();
    const now = activator.now;
    return { now, historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged };
  }
}
