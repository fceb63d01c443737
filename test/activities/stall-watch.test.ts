import { expect, it, onTestFinished, vi } from 'vitest';
import { StallWatch } from '../../src/activities/stall-watch.ts';

it('a clock that jumps ahead counts as a stall of then, and of no later time when it is set right', () => {
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  const stalls = new StallWatch();
  onTestFinished(() => stalls.stop());
  clock.mockImplementation(() => now() + 3_600_000);
  expect(stalls.longestSince(performance.now())).toBeGreaterThan(3_000_000);
  clock.mockImplementation(now);
  expect(stalls.longestSince(performance.now() + 1)).toBe(0);
});
