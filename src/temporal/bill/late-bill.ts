import type { ProofToTell } from '../../contract/activities.ts';
import { submitTimeOf } from '../../contract/entities/claims.ts';
import { decode, type HistoryEvent, timeOf } from '../history.ts';
import type { BilledTask } from './run-bill.ts';

/**
 * What the history of one run of `unclaimed-tasks/<workspace>` tells of submits that were given up and have bought a task
 * after all: their own runs may have ended before anybody knew it. Without their tags, which it does not know.
 */
export function lateBillOf(events: readonly HistoryEvent[]): BilledTask[] {
  return events.flatMap((event): BilledTask[] => {
    const { activityType, input } = event.activityTaskScheduledEventAttributes ?? {};
    const [told] = activityType?.name === 'tellProof' ? decode<[ProofToTell]>(input) : [];
    if (told === undefined) return [];
    const { workspace, workflowId, firstRunId, model, proof } = told;
    const { taskId, claimId, usage, outcome } = proof;
    return [
      {
        taskId,
        workflowId,
        runId: firstRunId,
        model,
        workspace,
        tags: {},
        at: submitTimeOf(claimId) ?? timeOf(event),
        credits: usage.total,
        refunded: 0,
        usage,
        isCharged: true,
        isLate: true,
        ...(outcome === undefined ? {} : { outcome }),
      },
    ];
  });
}
