import { defaultPayloadConverter } from '@temporalio/common';
import { isRecord } from '../../api/json/is-record.ts';
import { DarkroomState, SUBMITTING_AGAIN } from '../../contract/search-attributes.ts';
import { type HistoryEvent } from '../../temporal/history.ts';
import { firstValue } from './first-value.ts';

/** What one event of a history means for its run; undefined: nothing that is worth a line, or another kind of event. */
type Tell = (event: HistoryEvent, workflowId: string) => string | undefined;

/** Signals of ours, by name; others are told by their names. */
const SIGNALS: Readonly<Record<string, (argument: unknown) => string>> = {
  taskEvent: (event) => `webhook: ${textOf(event, 'type')} ${textOf(event, 'taskId')}`,
  taskGranted: (grant) => `found task ${textOf(grant, 'taskId')}`,
  lookBegun: () => 'a task is looked at that may be the one',
  creditsReleased: () => 'there are credits again',
};

/** People's messages, by name. */
const UPDATES: Readonly<Record<string, (argument: unknown) => string>> = {
  decide: (decision) =>
    ['decided:', textOf(decision, 'action'), textOf(decision, 'taskId')]
      .filter((word) => word !== '')
      .join(' '),
  checkNow: () => 'asked to check at once',
};

/** All but activities, each kind by itself. */
export const CHANGES: readonly Tell[] = [
  ({ workflowExecutionStartedEventAttributes: started }) => {
    if (!started) return undefined;
    const before = started.continuedExecutionRunId ?? '';
    if (before !== '') return `goes on from run ${before}`;
    const earlier = textOf(firstValue(started.input), 'earlierRun');
    return earlier === '' ? 'started' : `started, to take over what run ${earlier} bought`;
  },
  ({ workflowTaskFailedEventAttributes: failed }) => {
    if (!failed) return undefined;
    if (failed.failure?.resetWorkflowFailureInfo)
      return `Reset of run ${failed.baseRunId}: ${failed.failure.message}`;
    return `a workflow task failed: ${failed.failure?.message ?? 'for a reason that was not told'}`;
  },
  ({ workflowTaskTimedOutEventAttributes: timedOut }) =>
    timedOut ? 'a workflow task was not answered in time' : undefined,
  ({ workflowExecutionSignaledEventAttributes: signal }) => {
    if (!signal) return undefined;
    const name = signal.signalName ?? '';
    return tellMessage(SIGNALS, name, firstValue(signal.input)) ?? `signal ${name}`;
  },
  ({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => {
    if (!accepted) return undefined;
    const { name, args } = accepted.acceptedRequest?.input ?? {};
    return tellMessage(UPDATES, name ?? '', firstValue(args)) ?? `update ${name}`;
  },
  ({ upsertWorkflowSearchAttributesEventAttributes: upsert }) => {
    const payload = upsert?.searchAttributes?.indexedFields?.[DarkroomState.name];
    const value: unknown = payload ? defaultPayloadConverter.fromPayload(payload) : undefined;
    const [state] = [value].flat();
    return typeof state === 'string' && state !== SUBMITTING_AGAIN ? state : undefined;
  },
  ({ workflowExecutionCancelRequestedEventAttributes: asked }) => (asked ? 'asked to end' : undefined),
  (event, workflowId) => tellStep(event, workflowId),
  (event) => tellEnd(event),
];

/** A pipeline's step: a child workflow, named by its id behind the pipeline's. */
function tellStep(event: HistoryEvent, workflowId: string): string | undefined {
  const {
    childWorkflowExecutionStartedEventAttributes: started,
    childWorkflowExecutionCompletedEventAttributes: completed,
    childWorkflowExecutionFailedEventAttributes: failed,
    childWorkflowExecutionCanceledEventAttributes: canceled,
    childWorkflowExecutionTerminatedEventAttributes: terminated,
  } = event;
  const { workflowExecution: child } = started ?? completed ?? failed ?? canceled ?? terminated ?? {};
  if (!child) return undefined;
  const step = (child.workflowId ?? '').replace(`${workflowId}/`, '');
  if (started) return `step ${step} started`;
  if (completed) return `step ${step} completed`;
  if (!failed) return `step ${step} ${canceled ? 'canceled' : 'terminated'}`;
  const { message, applicationFailureInfo: info } = failed.failure?.cause ?? failed.failure ?? {};
  return `step ${step} failed: ${info?.type ?? ''}: ${message}`;
}

function tellEnd(event: HistoryEvent): string | undefined {
  const {
    workflowExecutionCompletedEventAttributes: completed,
    workflowExecutionFailedEventAttributes: failed,
    workflowExecutionCanceledEventAttributes: canceled,
    workflowExecutionTerminatedEventAttributes: terminated,
    workflowExecutionTimedOutEventAttributes: timedOut,
    workflowExecutionContinuedAsNewEventAttributes: continued,
  } = event;
  if (completed) return 'completed';
  if (failed)
    return `failed: ${failed.failure?.applicationFailureInfo?.type ?? ''}: ${failed.failure?.message}`;
  if (canceled) return 'canceled';
  if (terminated) return `terminated: ${terminated.reason}`;
  if (timedOut) return 'ran into its own time-out';
  return continued ? 'goes on in a new run' : undefined;
}

function tellMessage(
  words: Readonly<Record<string, (argument: unknown) => string>>,
  name: string,
  argument: unknown,
): string | undefined {
  return Object.hasOwn(words, name) ? words[name]?.(argument) : undefined;
}

/** A text field of something that anybody may have sent. */
function textOf(value: unknown, field: string): string {
  const text = isRecord(value) ? value[field] : undefined;
  return typeof text === 'string' ? text : '';
}
