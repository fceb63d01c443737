import type { HistoryEvent } from '../src/temporal/history.ts';

/**
 * What Temporal Cloud bills for a history, by its list of actions (docs.temporal.io/cloud/actions): starts, timers,
 * upserts, signals, updates, each try of an activity, a child twice; all local activities of one workflow task are one.
 * Heartbeats and queries leave no event, and are not in it.
 */
export function billableActions(events: readonly HistoryEvent[]): number {
  const markerTasks = new Set<string>();
  let actions = 0;
  for (const event of events) {
    const marker = event.markerRecordedEventAttributes;
    if (marker) markerTasks.add(String(marker.workflowTaskCompletedEventId));
    else if (event.activityTaskStartedEventAttributes) {
      actions += event.activityTaskStartedEventAttributes.attempt ?? 1;
    } else if (event.startChildWorkflowExecutionInitiatedEventAttributes) actions += 2;
    else if (
      event.workflowExecutionStartedEventAttributes ||
      event.timerStartedEventAttributes ||
      event.upsertWorkflowSearchAttributesEventAttributes ||
      event.workflowExecutionSignaledEventAttributes ||
      event.signalExternalWorkflowExecutionInitiatedEventAttributes ||
      event.workflowExecutionUpdateAcceptedEventAttributes
    ) {
      actions += 1;
    }
  }
  return actions + markerTasks.size;
}
