import type { Usage } from '../../api/records/usage.ts';
import { readProof } from '../../contract/generation-messages.ts';
import { submitProvenSignal } from '../../contract/messages.ts';
import { decode, type HistoryEvent, timeOf } from '../history.ts';

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
