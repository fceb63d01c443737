import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { CallbackRequest } from '../../contract/callback.ts';

/** Pauses grow to an hour; after three days it is given up. */
const { sendCallback } = proxyActivities<Pick<DarkroomActivities, 'sendCallback'>>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 hour' },
});

/** Workflow `callback`: says that a run has ended, until it is heard. The run itself has its result without it. */
export async function callback(request: CallbackRequest): Promise<void> {
  await sendCallback(request);
}
