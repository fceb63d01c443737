import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { endOfSubmit } from '../../../src/activities/generation/end-of-submit.ts';
import { DarkroomTaskId } from '../../../src/contract/search-attributes.ts';
import type { HistoryEvent } from '../../../src/temporal/history.ts';

const payload = (value: unknown) => defaultPayloadConverter.toPayload(value);
/** A submit whose worker was lost. */
const LOST: HistoryEvent[] = [
  {
    eventId: 5 as never,
    activityTaskScheduledEventAttributes: { activityId: '1', activityType: { name: 'submitTask' } },
  },
  { activityTaskTimedOutEventAttributes: { scheduledEventId: 5 as never } },
];
const holds = (taskId: string): HistoryEvent => ({
  upsertWorkflowSearchAttributesEventAttributes: {
    searchAttributes: { indexedFields: { [DarkroomTaskId.name]: payload([taskId]) } },
  },
});
const adopts = (taskId: string): HistoryEvent => ({
  workflowExecutionUpdateAcceptedEventAttributes: {
    acceptedRequest: {
      input: { name: 'decide', args: { payloads: [payload({ action: 'adopt', taskId, otherInput: true })] } },
    },
  },
});

describe('a submit that lost its answer', () => {
  it('has bought the task that its run comes to hold', () => {
    expect(endOfSubmit([...LOST, holds('t')], '1')).toEqual({ kind: 'bought', taskId: 't' });
  });

  it('is not known to have bought what a person has given to the run: that may be of any input', () => {
    expect(endOfSubmit([...LOST, adopts('t'), holds('t')], '1')).toEqual({ kind: 'unknown' });
  });
});
