import { isList, isRecord } from '../api/json/is-record.ts';
import { approveUpdate, resolveUpdate } from '../contract/messages.ts';
import type { PipelineRequest } from '../contract/pipeline.ts';
import type { CarriedPipeline, StepStage } from '../contract/steps/carried-pipeline.ts';
import type { SaidOfStep } from '../contract/steps/step-look.ts';
import { decode, type HistoryEvent, timeOf } from './history.ts';

interface SaidOf extends SaidOfStep {
  step: string;
  /** Of its update: a Reset repeats it. What was handed on has none. */
  id?: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What people have said of a pipeline's steps, in order: what a run was handed on of it, then what it was told itself. */
export function saidIn(events: readonly HistoryEvent[]): SaidOf[] {
  return [...handedOn(events), ...toldTo(events)];
}

/** What people had said in the runs that a run goes on for, by what it was handed on: the server may have deleted these. */
function handedOn([start]: readonly HistoryEvent[]): SaidOf[] {
  const [request, carried] = decode<[unknown, unknown]>(
    start?.workflowExecutionStartedEventAttributes?.input,
  );
  // Anybody can start a workflow with anything: such a run has refused it.
  if (start === undefined || !isRecord(request) || !isRecord(request['steps']) || !isRecord(carried))
    return [];
  if (![carried['steps'], carried['inputs']].every(areEntries)) return [];
  const { steps } = request as unknown as PipelineRequest;
  const { steps: stages, inputs } = carried as unknown as CarriedPipeline;
  const replaced = new Map(inputs);
  const at = timeOf(start);
  return stages.flatMap(([step, stage]) => {
    const { input = null, before = [] } = replaced.get(step) ?? {};
    const [first = null, ...others] = [input, ...before].toReversed();
    // What came first is the request's own, or was approved in its place.
    const isApproved = first !== null || (steps[step]?.approve === true && wasApproved(stage));
    const approved: SaidOf[] = isApproved ? [{ at, step, by: 'approve', input: first }] : [];
    return [...approved, ...others.map((one): SaidOf => ({ at, step, by: 'retry', input: one }))];
  });
}

function areEntries(value: unknown): boolean {
  return isList(value) && value.every((one) => isList(one) && isRecord(one[1]));
}

function wasApproved(stage: StepStage): boolean {
  if (stage.at === 'blocked') return stage.isApproved === true;
  return stage.at !== 'approval' && (stage.at !== 'done' || stage.item.status !== 'SKIPPED');
}

/** The updates that were obeyed. */
function toldTo(events: readonly HistoryEvent[]): SaidOf[] {
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
  return events.flatMap((event): SaidOf[] => {
    const { workflowExecutionUpdateAcceptedEventAttributes: accepted } = event;
    if (accepted == null) return [];
    const at = timeOf(event);
    const id = accepted.acceptedRequest?.meta?.updateId ?? accepted.protocolInstanceId ?? '';
    if (!obeyed.has(id)) return [];
    const { input: sent } = accepted.acceptedRequest ?? admitted.get(id) ?? {};
    const [said]: unknown[] = decode(sent?.args);
    if (!isRecord(said) || typeof said['step'] !== 'string') return [];
    const { step, action } = said as { step: string; action?: unknown };
    const input = isRecord(said['input']) ? said['input'] : null;
    if (sent?.name === approveUpdate.name) return [{ id, at, step, by: 'approve', input }];
    return sent?.name === resolveUpdate.name && action === 'retry'
      ? [{ id, at, step, by: 'retry', input }]
      : [];
  });
}

/** What was said in several runs, each once, when it was said first: a Reset copies and repeats what the run before it was told. */
export function saidOnce<Said extends { id?: string; at: number }>(all: readonly Said[]): Said[] {
  const first = new Map<string, Said>();
  for (const [index, one] of all.entries()) {
    const key = one.id ?? `${index}`;
    const before = first.get(key);
    if (before === undefined || one.at < before.at) first.set(key, one);
  }
  return [...first.values()].toSorted((a, b) => a.at - b.at);
}
