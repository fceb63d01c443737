import type { Worker } from '@temporalio/worker';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { untilEnded } from '../../src/worker/until-ended.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type State = ReturnType<Worker['getState']>;

/** A worker whose core has shut down over a workflow task that it cannot decode: it never comes to its end. */
function hanging(state: State): { seen: string[]; enter: (next: State) => void } {
  const seen: string[] = [];
  let now = state;
  untilEnded({ getState: () => now }, new Promise(() => undefined)).catch((error: unknown) =>
    seen.push(String(error)),
  );
  return {
    seen,
    enter(next) {
      now = next;
    },
  };
}

it('a worker that hangs in its shutdown is broken once everything in flight has had its time', async () => {
  const { seen, enter } = hanging('RUNNING');
  await vi.advanceTimersByTimeAsync(3_600_000);
  enter('DRAINING');
  await vi.advanceTimersByTimeAsync(100_000);
  expect(seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual([expect.stringContaining('takes no work any more')]);
});

it('a worker that has failed is broken at once', async () => {
  const { seen, enter } = hanging('RUNNING');
  enter('FAILED');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen).toHaveLength(1);
});

it('leaves no timer behind when the worker has come to its end', async () => {
  await untilEnded({ getState: () => 'STOPPED' }, Promise.resolve());
  expect(vi.getTimerCount()).toBe(0);
});
