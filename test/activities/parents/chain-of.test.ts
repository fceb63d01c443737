import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expect, it } from 'vitest';
import { chainOf } from '../../../src/activities/parents/chain-of.ts';

const { CONTINUE_AS_NEW_INITIATOR_WORKFLOW: CONTINUED, CONTINUE_AS_NEW_INITIATOR_RETRY: RETRIED } =
  proto.temporal.api.enums.v1.ContinueAsNewInitiator;

interface Start {
  /** The run that it goes on for. */
  after?: string;
  how?: number;
  /** The run whose Reset it is. */
  resetOf?: string;
}

/** A server that has these runs, of which `a` was the first. */
function serverWith(runs: Readonly<Record<string, Start>>): Client {
  const read = async ({ execution }: { execution: { runId: string } }) => {
    const start = runs[execution.runId];
    if (start === undefined)
      throw new WorkflowNotFoundError('it is deleted', 'generation/x', execution.runId);
    const workflowExecutionStartedEventAttributes = {
      firstExecutionRunId: 'a',
      originalExecutionRunId: start.resetOf ?? execution.runId,
      continuedExecutionRunId: start.after ?? '',
      initiator: start.how ?? CONTINUED,
    };
    return { history: { events: [{ workflowExecutionStartedEventAttributes }] } };
  };
  return {
    options: { namespace: 'default' },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflowService: { getWorkflowExecutionHistory: read },
  } as unknown as Client; // all that is used of it
}

it.each<[string, Record<string, Start>, string, boolean]>([
  ['a first run', { c: {} }, 'c', false],
  ['one that goes on for others', { a: {}, b: { after: 'a' }, c: { after: 'b' } }, 'a', false],
  ['a Reset’s', { a: {}, b: { after: 'a' }, c: { after: 'b', resetOf: 'd' } }, 'c', true],
  [
    'one that goes on for a Reset’s',
    { a: {}, b: { after: 'a', resetOf: 'd' }, c: { after: 'b' } },
    'c',
    true,
  ],
  ['one whose first run is deleted', { b: { after: 'a' }, c: { after: 'b' } }, 'a', false],
  ['one that goes on for another that is deleted', { a: {}, c: { after: 'b' } }, 'c', true],
  [
    'one that Temporal has started again',
    { a: {}, b: { after: 'a', how: RETRIED }, c: { after: 'b' } },
    'c',
    false,
  ],
])('of %s', async (_, runs, first, wasReset) => {
  expect(await chainOf(serverWith(runs), 'generation/x', 'c')).toEqual({ first, wasReset });
});
