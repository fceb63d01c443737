import { describe, expect, test } from 'vitest';
import { BalanceError, balance, charge, refund, setPools } from '../../../emulator/src/accounts/credits.ts';

const NOW = Date.UTC(2030, 0, 1);
const MOST = Number.MAX_SAFE_INTEGER;

function pools(permanent: number, subscription: number, subscriptionExpiresAt = NOW + 1) {
  return { permanent, subscription, subscriptionExpiresAt };
}

test('a balance shows both pools, and nothing of a subscription that expires now', () => {
  const at = '2030-01-01T00:00:00.001Z';
  expect(balance(pools(3, 5), NOW)).toEqual({
    permanent: 3,
    subscription: 5,
    subscription_expires_at: at,
    available: 8,
  });
  expect(balance(pools(3, 5), NOW + 1)).toEqual({
    permanent: 3,
    subscription: 0,
    subscription_expires_at: at,
    available: 3,
  });
});

describe('a charge', () => {
  test.each([
    ['subscription', pools(10, 5), 8, pools(7, 0), { total: 8, subscription: 5, permanent: 3 }],
    ['subscription', pools(10, 9), 8, pools(10, 1), { total: 8, subscription: 8, permanent: 0 }],
    ['permanent', pools(3, 10), 8, pools(0, 5), { total: 8, subscription: 5, permanent: 3 }],
    ['permanent', pools(20, 10), 8, pools(12, 10), { total: 8, subscription: 0, permanent: 8 }],
    ['subscription', pools(3, 5), 8, pools(0, 0), { total: 8, subscription: 5, permanent: 3 }],
    ['subscription', pools(9, 5, NOW), 8, pools(1, 5, NOW), { total: 8, subscription: 0, permanent: 8 }],
    ['subscription', pools(3, 4), 8, pools(3, 4), undefined],
    ['permanent', pools(3, 9, NOW), 8, pools(3, 9, NOW), undefined],
  ] as const)('from the %s pool first, of %j, of %d credits', (first, before, credits, after, usage) => {
    const held = { ...before };
    expect(charge(held, credits, NOW, first)).toEqual(usage);
    expect(held).toEqual(after);
  });
});

test.each([
  [pools(1, 2), { total: 8, subscription: 5, permanent: 3 }, pools(4, 7)],
  [pools(MOST - 3, 0), { total: 5, subscription: 5, permanent: 0 }, pools(MOST - 3, 3)],
  [pools(0, MOST - 3), { total: 5, subscription: 0, permanent: 5 }, pools(3, MOST - 3)],
])('of %j, a refund of %j leaves no more than can be counted', (held, usage, after) => {
  refund(held, usage);
  expect(held).toEqual(after);
});

describe('pools', () => {
  test('take what is given and keep the rest', () => {
    const held = pools(1, 2);
    setPools(held, { permanent: 7 });
    expect(held).toEqual(pools(7, 2));
    setPools(held, { subscription: MOST - 7, subscriptionExpiresAt: NOW });
    expect(held).toEqual(pools(7, MOST - 7, NOW));
  });

  test.each([{ permanent: -1 }, { subscription: -1 }, { permanent: 0.5 }, { permanent: MOST }])(
    'refuse %j and stay as they were',
    (wanted) => {
      const held = pools(5, 5);
      const { permanent, subscription } = { ...held, ...wanted };
      const error = new BalanceError(
        `A balance is at most 9007199254740991 whole credits in both pools together, not ${permanent} permanent and ${subscription} of the subscription`,
      );
      expect(error.name).toBe('BalanceError');
      expect(() => setPools(held, wanted)).toThrow(error);
      expect(held).toEqual(pools(5, 5));
    },
  );
});
