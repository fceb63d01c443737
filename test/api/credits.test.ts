import { describe, expect, it } from 'vitest';
import { creditsSchema, readCreditsSchema } from '../../src/api/records/credits.ts';

const balance = {
  permanent: 100,
  subscription: 20,
  subscription_expires_at: '2028-02-29T23:59:59.999Z',
  available: 120,
};
const fits = (more: object) => creditsSchema.safeParse({ ...balance, ...more }).success;
const read = (more: object) => readCreditsSchema.parse({ ...balance, ...more });

describe('the contract of the balance', () => {
  it.each(['permanent', 'subscription', 'available'])(
    'has %s as a whole number from -9007199254740991 to 9007199254740991',
    (pool) => {
      const within = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
      const outside = [2 ** 53, -(2 ** 53), 0.5, '1', undefined];
      expect(within.filter((value) => !fits({ [pool]: value }))).toEqual([]);
      expect(outside.filter((value) => fits({ [pool]: value }))).toEqual([]);
    },
  );

  it.each(['2028-02-29T23:59:59.999Z', '2026-01-31T00:00:00Z', '2000-02-29T12:00:00.1Z'])(
    'takes %s for the expiry',
    (time) => {
      expect(fits({ subscription_expires_at: time })).toBe(true);
    },
  );

  it.each([
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00',
    '2026-01-01',
    '1767225600',
    'soon',
  ])('refuses %s: not in the calendar, not in UTC or not ending in Z', (time) => {
    expect(fits({ subscription_expires_at: time })).toBe(false);
  });
});

describe('the reader of balances', () => {
  it('keeps further properties, and reads a balance whose other parts are missing or malformed', () => {
    expect(read({ plan: 'pro' })).toEqual({ ...balance, plan: 'pro' });
    expect(readCreditsSchema.parse({ available: 7 })).toEqual({
      permanent: 0,
      subscription: 0,
      available: 7,
    });
    expect(read({ subscription_expires_at: 'soon' }).subscription_expires_at).toBeNull();
    expect(read({ subscription_expires_at: null }).subscription_expires_at).toBeNull();
    expect(read({ available: 0.5 }).available).toBe(0.5);
    const elsewhere = '2026-12-01T00:00:00+02:00';
    expect(read({ subscription_expires_at: elsewhere }).subscription_expires_at).toBe(elsewhere);
  });

  it('takes nothing without a number of available credits for one', () => {
    for (const value of [null, [], 'x', {}, { available: '7' }, { available: null }]) {
      expect([value, readCreditsSchema.safeParse(value).success]).toEqual([value, false]);
    }
  });
});
