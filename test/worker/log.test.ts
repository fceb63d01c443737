import { expect, it } from 'vitest';
import { loggable } from '../../src/worker/log.ts';

it('what the SDK logs is cut where it is endless, and its errors are told without a stack', () => {
  const error = new RangeError('out of range');
  expect(loggable({ error, workflowId: 'generation/a', attempt: 2 })).toEqual({
    error: 'RangeError: out of range',
    workflowId: 'generation/a',
    attempt: 2,
  });
  const { currentEvents } = loggable({ currentEvents: 'x'.repeat(1_600_000) });
  expect(currentEvents).toBe(`${'x'.repeat(2_000)}… (1600000 characters)`);
});
