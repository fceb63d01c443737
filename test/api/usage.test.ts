import { expect, it } from 'vitest';
import { outputCount } from '../../src/api/models/output-count.ts';
import { endedInVain } from '../../src/api/records/ended-in-vain.ts';
import { addUsage, NO_USAGE, plainUsage, subtractUsage } from '../../src/api/records/usage.ts';

it('usages add up and are taken apart pool by pool, and keep nothing else', () => {
  const one = { total: 8, subscription: 5, permanent: 3 };
  const other = { total: 3, subscription: 1, permanent: 2 };
  expect(addUsage(one, other)).toEqual({ total: 11, subscription: 6, permanent: 5 });
  expect(subtractUsage({ total: 11, subscription: 6, permanent: 5 }, other)).toEqual(one);
  expect(addUsage(NO_USAGE, one)).toEqual(one);
  const told = { ...one, currency: 'EUR' };
  expect(plainUsage(told)).toEqual(one);
});

it('tasks that failed or were canceled have ended in vain, and no others', () => {
  const states = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
  expect(states.filter(endedInVain)).toEqual(['FAILED', 'CANCELED']);
});

it.each<[Record<string, unknown>, number]>([
  [{}, 1],
  [{ n: 3 }, 3],
  [{ num_images: 5 }, 5],
  [{ n: 2, num_images: 5 }, 10],
  [{ n: 1 }, 1],
  [{ n: 0 }, 1],
  [{ n: '4' }, 1],
  [{ n: null }, 1],
])('an input %j can make %i outputs', (input, count) => {
  expect(outputCount(input)).toBe(count);
});
