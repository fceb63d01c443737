import { Client, Connection, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, RetryState, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { pauseAfter } from '../../src/client/following/away.ts';
import { endsOf, until } from '../../src/client/following/ends-of.ts';
import { readFailure } from '../../src/client/following/read-failure.ts';

/** Nothing is asked of it. */
const client = new Client({ connection: Connection.lazy() });
const NEVER = new Promise<never>(() => undefined);

it.each<[cause: Error | undefined, type: string, message: string, details: unknown]>([
  [
    ApplicationFailure.create({ type: 'TASK_OVERDUE', message: 'm', details: [{ a: 1 }, 2] }),
    'TASK_OVERDUE',
    'm',
    { a: 1 },
  ],
  [ApplicationFailure.create({ type: 'X', message: 'm' }), 'X', 'm', null],
  [new TerminatedFailure('by hand'), 'TERMINATED', 'the workflow was terminated: by hand', null],
  [
    new TimeoutFailure('late', undefined, 'START_TO_CLOSE'),
    'TIMED_OUT',
    'the workflow ran into its own time-out',
    null,
  ],
  [new Error('odd'), 'UNKNOWN', 'odd', null],
  [undefined, 'UNKNOWN', 'it failed', null],
])('a run that failed with %s failed with %s', async (cause, type, message, details) => {
  const error = new WorkflowFailedError('it failed', cause, RetryState.NON_RETRYABLE_FAILURE);
  expect(await readFailure(client, error, 'generation/a', 'run-1')).toEqual({ type, message, details });
});

it('the pauses while Temporal is away grow from two seconds to ten', () => {
  expect([1, 2, 3, 4, 20].map(pauseAfter)).toEqual([2_000, 4_000, 8_000, 10_000, 10_000]);
});

describe('a call that does not ask Temporal', () => {
  it('ends with its signal, or after its time', async () => {
    const { signal } = new AbortController();
    expect([endsOf({}), endsOf({ signal })]).toEqual([undefined, signal]);
    await expect(until(endsOf({ timeout: 1 }), NEVER)).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(until(endsOf({ timeout: 1, signal }), NEVER)).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const why = new Error('enough');
    const ends = endsOf({ timeout: '1m', signal: AbortSignal.abort(why) });
    await expect(until(ends, Promise.resolve('done'))).rejects.toBe(why);
    const controller = new AbortController();
    const ended = until(endsOf({ timeout: '1m', signal: controller.signal }), NEVER);
    controller.abort(why);
    await expect(ended).rejects.toBe(why);
  });

  it('ends with its answer', async () => {
    expect(await until(undefined, Promise.resolve('done'))).toBe('done');
    expect(await until(endsOf({ timeout: '1m' }), Promise.resolve('done'))).toBe('done');
  });

  it('is refused with a time that is none', () => {
    expect(() => endsOf({ timeout: -1 })).toThrow(
      'timeout is a duration like "30s" or a number of milliseconds; got -1',
    );
  });
});
