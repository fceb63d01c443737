import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect, it } from 'vitest';
import type { EarlierSearch } from '../../../src/activities/generation/earlier-purchases.ts';
import { toldTaskIds, waitFor } from '../../../src/activities/generation/heard-of.ts';
import { UNREADABLE } from '../../../src/contract/tasks/submit-task.ts';
import { DEFAULT_POLICY } from '../../../src/policy/policy.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const payloads = (told: unknown) => ({
  payloads: [{ metadata: { encoding: base64('json/plain') }, data: base64(JSON.stringify(told)) }],
});

const signal = (signalName: string, told: unknown) => ({
  eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED',
  workflowExecutionSignaledEventAttributes: {
    signalName,
    input: payloads(told),
  },
});

const decision = (told: unknown) => ({
  eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED',
  workflowExecutionUpdateAcceptedEventAttributes: {
    acceptedRequest: { input: { name: 'decide', args: payloads(told) } },
  },
});

it('a run was told of the tasks whose ends, grants and proofs it was sent, or that it was to adopt, and of no others', () => {
  const { events } = historyFromJSON({
    events: [
      signal('taskEvent', { webhookId: '1', type: 'task.started', taskId: 'running' }),
      signal('taskEvent', { webhookId: '2', type: 'task.completed', taskId: 'ended' }),
      signal('taskGranted', { claimId: 'a claim', taskId: 'granted' }),
      signal('submitProven', { claimId: 'a claim', taskId: 'proven' }),
      signal('creditsReleased', { parkId: 'parked', taskId: 'parked' }),
      signal('taskEvent', { type: 'task.completed', taskId: 7 }),
      signal('taskGranted', null),
      decision({ action: 'adopt', taskId: 'adopted' }),
      decision({ action: 'resubmit', taskId: 'not adopted' }),
      decision(null),
    ],
  });
  expect(toldTaskIds(events ?? [])).toEqual(['ended', 'granted', 'proven', 'adopted']);
});

const REQUEST = {
  vanished: { wait: 0 },
  plan: { family: 'image', takesSeed: false, policy: DEFAULT_POLICY },
} as const;

it('each task whose name is kept is waited for by itself: that one was waited for in vain says nothing of another', () => {
  const search: EarlierSearch = {};
  const patient = { ...REQUEST, vanished: { wait: 60_000 } };
  const kept = (...taskIds: string[]) =>
    taskIds.map((taskId) => ({ taskId, reason: 'it is kept', forSome: true }) as const);
  expect(() => waitFor(kept('a stranger'), search, REQUEST)).not.toThrow();
  expect(() => waitFor(kept('a stranger'), search, patient)).not.toThrow();
  expect(() => waitFor(kept('a stranger', 'its own'), search, patient)).toThrow('its own');
});

it('a task of which nobody can tell keeps its run from buying until the deadline, and ends it then', () => {
  const search: EarlierSearch = {};
  const doubts = [{ taskId: 'its own', reason: 'HTTP 503' }];
  const wait = (deadline: number) => () =>
    waitFor(doubts, search, {
      ...REQUEST,
      plan: { ...REQUEST.plan, policy: { ...DEFAULT_POLICY, deadline } },
    });
  expect(wait(60_000)).toThrow(expect.objectContaining({ type: UNREADABLE, nonRetryable: false }));
  expect(wait(0)).toThrow(
    expect.objectContaining({
      type: 'SUBMISSION_UNKNOWN',
      nonRetryable: true,
      message:
        'nothing is bought again: task its own may be this one, but its record tells nothing: HTTP 503',
    }),
  );
});
