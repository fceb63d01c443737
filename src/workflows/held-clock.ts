import { type WorkflowInfo, workflowInfo } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';

/** What a run reads of its place in the history. */
type Place = Pick<
  WorkflowInfo,
  'historyLength' | 'historySize' | 'continueAsNewSuggested' | 'targetWorkerDeploymentVersionChanged'
> & { now: number };

/**
 * From here on this run's clock, and the length of its history, stand still while a local activity is open. To be called at
 * the start of a workflow that has local activities.
 *
 * Where a query is answered while a local activity ends, the SDK completes the workflow task with its marker and tells the
 * workflow of the end in the next task, whose time is later; so it does with what comes while one is open for long. A replay
 * tells of the end with the marker, at another time: code that goes by the time then takes another way, and the run is stuck.
 */
export function holdClock(): void {
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
      const { now, ...info } = place;
      activator.now = now;
      activator.mutateWorkflowInfo((was) => ({ ...was, ...info }));
      next(input);
    },
  });

  function placeNow(): Place {
    const { historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged } =
      workflowInfo();
    const now = activator.now;
    return { now, historyLength, historySize, continueAsNewSuggested, targetWorkerDeploymentVersionChanged };
  }
}
