import { describe, expect } from 'vitest';
import { CREDITS_CODES } from '../../../src/api/codes.ts';
import { MODELS } from '../../../src/api/models/registry.ts';
import { type Credits, creditsSchema } from '../../../src/api/records/credits.ts';
import { accepted, refused } from './answers.ts';
import type { Caller } from './caller.ts';
import { type Check, needing } from './check.ts';

const IMAGE = MODELS['image-l'];
const PROMPT = { prompt: 'a fox' };

/** `GET credits`. */
export function credits(all: Check): void {
  const check = needing(all, 'balance');
  describe('the balance', () => {
    check('has whole credits in two pools and an expiry in UTC', async ({ caller }) => {
      const { permanent, subscription, available } = await balanceOf(caller);
      expect(available).toBe(permanent + subscription);
    });

    check('goes down by what a submit says it charged, the subscription first', async (target) => {
      const { caller } = await target.account({ credits: { subscription: 10, permanent: 100 } });
      const submit = async () => accepted(await caller.submit(IMAGE, PROMPT)).usage;
      const usages = [await submit(), await submit(), await submit()];
      const { permanent, subscription, available } = await balanceOf(caller);
      expect(available).toBe(110 - usages.reduce((sum, { total }) => sum + total, 0));
      expect([subscription, permanent < 100]).toEqual([0, true]);
      expect(usages[0]).toMatchObject({ permanent: 0 });
    });

    check('has no subscription credits any more once they have expired', async (target) => {
      const subscriptionExpiresAt = '2020-02-29T00:00:00.000Z';
      const { caller } = await target.account({
        credits: { subscription: 10, permanent: 3, subscriptionExpiresAt },
      });
      expect(await balanceOf(caller)).toEqual({
        permanent: 3,
        subscription: 0,
        subscription_expires_at: subscriptionExpiresAt,
        available: 3,
      });
    });

    for (const code of CREDITS_CODES) {
      check(`can be refused with ${code}`, async (target) => {
        const { workspace, caller } = await target.account();
        const rule = { on: 'credits', match: { workspace }, fault: { kind: 'error', code } } as const;
        refused(await target.control.during(rule, () => caller.call('GET', 'credits')), code);
      });
    }
  });
}

async function balanceOf(caller: Caller): Promise<Credits> {
  const { status, body } = await caller.call('GET', 'credits');
  expect(status).toBe(200);
  return creditsSchema.parse(body);
}
