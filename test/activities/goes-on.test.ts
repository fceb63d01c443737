import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { goesOn } from '../../src/activities/goes-on.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

/** How many heartbeats an activity sends that has one of so many steps every second, the first one so long after its start. */
async function heartbeatsOf(steps: number, { after = 0 } = {}): Promise<number> {
  const environment = new MockActivityEnvironment({
    heartbeatTimeoutMs: 10_000,
    currentAttemptScheduledTimestampMs: Date.now() - after,
  });
  let sent = 0;
  environment.on('heartbeat', () => {
    sent += 1;
  });
  await environment.run(async () => {
    for (let step = 0; step < steps; step += 1) {
      goesOn();
      vi.advanceTimersByTime(1_000);
    }
  });
  return sent;
}

it('an activity that ends within a quarter of its time-out sends no heartbeat: each is billed', async () => {
  expect(await heartbeatsOf(3)).toBe(0);
});

it('one that takes longer sends them from then on, each attempt for itself', async () => {
  expect(await heartbeatsOf(4)).toBe(1);
  expect(await heartbeatsOf(6)).toBe(3);
});

it('one whose first step has taken long sends one at once: the next might come too late', async () => {
  expect(await heartbeatsOf(1, { after: 6_000 })).toBe(1);
});
