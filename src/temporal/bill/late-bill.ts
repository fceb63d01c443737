import type { Usage } from '../../api/records/usage.ts';
import type { ProofToTell } from '../../contract/activities.ts';
import { submitTimeOf } from '../../contract/entities/claims.ts';
import { readProof } from '../../contract/generation-messages.ts';
import { submitProvenSignal } from '../../contract/messages.ts';
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

/** What the history of one run of a generation tells of its own submits that were given up, and were proven to have bought a task. */
export function provenIn(events: readonly HistoryEvent[]): Map<string, { usage: Usage; at: number }> {
  const { firstExecutionRunId } = events[0]?.workflowExecutionStartedEventAttributes ?? {};
  const proven = new Map<string, { usage: Usage; at: number }>();
  for (const event of events) {
    const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
    if (signalName !== submitProvenSignal.name) continue;
    // Anybody can send one: the run reads it in the same way.
    const proof = readProof(decode(input)[0]);
    if (proof?.claimId.startsWith(`${firstExecutionRunId}.`) !== true) continue;
    proven.set(proof.taskId, { usage: proof.usage, at: proven.get(proof.taskId)?.at ?? timeOf(event) });
  }
  return proven;
}
