import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { GenerationLook, LookedAt } from '../../contract/steps/step-look.ts';

/**
 * Looks are short. A generation that still runs is looked at again by Temporal's own retries, later and later: between
 * two of them nothing is held anywhere, and the history does not grow.
 */
const { lookAtGeneration } = proxyActivities<Pick<DarkroomActivities, 'lookAtGeneration'>>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 1.5, maximumInterval: '1 minute' },
});

/** What there is of a step's generation by now. */
export async function look(step: Omit<GenerationLook, 'wait'>): Promise<LookedAt> {
  return await lookAtGeneration({ ...step, wait: false });
}

/** Waits for the end of a generation that this run has not started. */
export async function follow(step: Omit<GenerationLook, 'wait' | 'asItIs'>): Promise<LookedAt> {
  return await lookAtGeneration({ ...step, wait: true, asItIs: true });
}
