import { expect, it } from 'vitest';
import { Pace } from '../../src/webhooks/routing/pace.ts';

let now = 0;
const paced = (): Pace => {
  now = 1_000;
  return new Pace({ perSecond: 10, burst: 3 }, () => now);
};

/** Takes the next permit when it is there. @returns after how many milliseconds */
function next(pace: Pace): number {
  const wait = pace.permit();
  if (wait > 0) {
    now += wait;
    if (pace.permit() !== 0) throw new Error('it is not there when it was to be');
  }
  return wait;
}

it('gives a burst of permits, then one after the other', () => {
  const pace = paced();
  expect([1, 2, 3, 4, 5].map(() => next(pace))).toEqual([0, 0, 0, 100, 100]);
  now += 250;
  expect([1, 2, 3, 4].map(() => next(pace))).toEqual([0, 0, 50, 100]);
});

it('takes twice as long for each after each refusal, up to two seconds, and gives no bursts', () => {
  const pace = paced();
  pace.refused();
  expect([next(pace), next(pace)]).toEqual([200, 200]);
  now += 10_000;
  expect([next(pace), next(pace)]).toEqual([0, 200]);
  for (let times = 0; times < 5; times += 1) pace.refused();
  expect([next(pace), next(pace)]).toEqual([2_000, 2_000]);
});

it('gets a quarter of the way back by each success, and has its bursts again when it is there', () => {
  const pace = paced();
  pace.refused();
  pace.refused();
  expect(next(pace)).toBe(400);
  pace.succeeded();
  expect([next(pace), next(pace)]).toEqual([400, 325]);
  // To 269, … 107, and from there the whole way.
  for (let times = 0; times < 15; times += 1) pace.succeeded();
  now += 10_000;
  expect([1, 2, 3, 4].map(() => next(pace))).toEqual([0, 0, 0, 100]);
});
