import { isRecord } from '../api/json/is-record.ts';
import { approveUpdate, resolveUpdate } from '../contract/messages.ts';
import type { SaidOfStep } from '../contract/steps/step-look.ts';
import { decode, type HistoryEvent } from './history.ts';

type SaidOf = SaidOfStep & { step: string };

/** What people have said in a run of a pipeline of its steps, in order: the updates that were obeyed. */
export function saidIn(events: readonly HistoryEvent[]): SaidOf[] {
  // One that does not fit is refused after it was accepted.
  const obeyed = new Set(
    events.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: completed }) =>
      completed?.outcome?.success ? (completed.meta?.updateId ?? []) : [],
    ),
  );
  // What a Reset repeats is admitted first, and accepted without its words.
  const admitted = new Map(
    events.flatMap(({ workflowExecutionUpdateAdmittedEventAttributes: one }) =>
      one?.request == null ? [] : [[one.request.meta?.updateId ?? '', one.request] as const],
    ),
  );
  return events.flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }): SaidOf[] => {
    if (accepted == null) return [];
    const id = accepted.acceptedRequest?.meta?.updateId ?? accepted.protocolInstanceId ?? '';
    if (!obeyed.has(id)) return [];
    const { input: sent } = accepted.acceptedRequest ?? admitted.get(id) ?? {};
    const [said]: unknown[] = decode(sent?.args);
    if (!isRecord(said) || typeof said['step'] !== 'string') return [];
    const { step, action } = said as { step: string; action?: unknown };
    const input = isRecord(said['input']) ? said['input'] : null;
    if (sent?.name === approveUpdate.name) return [{ step, by: 'approve', input }];
    return sent?.name === resolveUpdate.name && action === 'retry' ? [{ step, by: 'retry', input }] : [];
  });
}
