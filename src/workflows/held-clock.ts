import { type WorkflowInfo, workflowInfo } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';

/** What a run reads of its place in the history. */
type Place = Pick<WorkflowInfo, 'historyLength' | 'historySize' | 'continueAsNewSuggested'> & { now: number };

/**
 * From here on the end of a local activity moves neither this run's clock nor the length of its history; all else does. To be
 * called at the start of a workflow that has local activities.
 *
 * Where a query is answered while a local activity ends, the SDK completes the workflow task with its marker and tells the
 * workflow of the end in the next task, whose time is later. A replay tells of it with the marker, at an earlier time: code
 * that goes by the time then takes another way, and the run is stuck.
 */
export function holdClock(): void {
  const activator = getActivator();
  let place = placeNow();
  // Of the activation that is worked on: before it, and as it says.
  let before = place;
  let told = place;
  activator.interceptors.internals.push({
    activate(input, next) {
      if (input.batchIndex === 0) {
        before = place;
        told = placeNow();
      }
      const isHeld = input.activation.jobs?.some((job) => job.resolveActivity?.isLocal === true) ?? false;
      place = isHeld ? before : told;
      const { now, ...info } = place;
      activator.now = now;
      activator.mutateWorkflowInfo((was) => ({ ...was, ...info }));
      next(input);
    },
  });

  function placeNow(): Place {
    const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
    return { now: activator.now, historyLength, historySize, continueAsNewSuggested };
  }
}
