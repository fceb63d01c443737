import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/** No failure that anybody has to hear of: it is how Temporal is told to look again. */
export function stillRunning(workflowId: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'STILL_RUNNING',
    message: `${workflowId} still runs: it is looked at again, later and later`,
    category: ApplicationFailureCategory.BENIGN,
  });
}
