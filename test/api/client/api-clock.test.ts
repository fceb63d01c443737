import { expect, it } from 'vitest';
import { ApiClock } from '../../../src/api/client/api-clock.ts';

const at = (time: number): string => new Date(time).toUTCString();

it('the service’s clock is known by the dates of its answers, not later than it is', () => {
  const clock = new ApiClock();
  expect(clock.offset).toBeUndefined();
  // It is 30.4 s ahead, and tells whole seconds.
  const now = Date.parse('2026-11-22T10:00:00.000Z');
  for (const [answered, delay] of [
    [now, 200],
    [now + 3_700, 50],
    [now + 9_000, 8_000],
  ] as const) {
    clock.note(at(answered - delay + 30_400), answered);
    expect(clock.offset).toBeLessThanOrEqual(30_400);
  }
  expect(clock.offset).toBeGreaterThan(29_000);
});

it('a date that is missing, mistyped, repeated or of another age tells nothing', () => {
  const clock = new ApiClock();
  for (const date of [undefined, '', 'yesterday', [at(0), at(0)], at(0)]) clock.note(date, 1_795_000_000_000);
  clock.note([at(1_795_000_000_000)], 1_795_000_000_000);
  expect(clock.offset).toBeUndefined();
});

it('a clock that is set back is believed after a few answers', () => {
  const clock = new ApiClock();
  const now = Date.parse('2026-11-22T10:00:00.000Z');
  clock.note(at(now + 60_000), now);
  for (let n = 0; n < 20; n += 1) clock.note(at(now), now);
  expect(clock.offset).toBe(0);
});

it('a date is believed up to a day from ours, and the latest sixteen answers count', () => {
  const now = Date.parse('2026-11-22T10:00:00.000Z');
  const clock = new ApiClock();
  clock.note(at(now + 86_400_000), now);
  expect(clock.offset).toBeUndefined();
  clock.note(at(now + 86_399_000), now);
  expect(clock.offset).toBe(86_399_000);
  for (let n = 0; n < 15; n += 1) clock.note(at(now), now);
  expect(clock.offset).toBe(86_399_000);
  clock.note(at(now), now);
  expect(clock.offset).toBe(0);
});
