import { expect, test } from 'vitest';
import { type RateLimit, RateLimits, retryAfterHeader } from '../../../emulator/src/accounts/rate-limits.ts';

const LIMIT: RateLimit = { limit: 2, windowMs: 1000, retryAfter: 'seconds' };

test('a bucket empties, refills evenly up to its size, and is full again once it is forgotten', () => {
  const limits = new RateLimits();
  const take = (now: number, limit = LIMIT): number => limits.take('a', limit, now);
  expect([take(0), take(0), take(0), take(250)]).toEqual([0, 0, 500, 250]);
  expect([take(500), take(500), limits.take('b', LIMIT, 500)]).toEqual([0, 500, 0]);
  expect([take(9000), take(9000), take(9000)]).toEqual([0, 0, 500]);
  limits.forget('a');
  expect([take(9000, { ...LIMIT, burst: 1 }), take(9000, { ...LIMIT, burst: 1 })]).toEqual([0, 500]);
  limits.forget('a');
  expect(take(9000)).toBe(0);
});

test.each([
  ['seconds', 1, { 'retry-after': '1' }],
  ['seconds', 2001, { 'retry-after': '3' }],
  // A date has no milliseconds: it is one second later, never too early.
  ['date', 2001, { 'retry-after': 'Tue, 01 Jan 2030 00:00:04 GMT' }],
  ['none', 2001, {}],
] as const)('a refusal says in %s when to come back after %d ms', (retryAfter, wait, headers) => {
  expect(retryAfterHeader({ ...LIMIT, retryAfter }, wait, Date.UTC(2030, 0, 1) + 900)).toEqual(headers);
});
