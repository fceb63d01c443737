import type { Credits } from '../../../src/api/records/credits.ts';
import type { Usage } from '../../../src/api/records/usage.ts';

/** A workspace's two pools, whole credits. The subscription's lapse at `subscriptionExpiresAt` (ms). */
export interface Pools {
  permanent: number;
  subscription: number;
  subscriptionExpiresAt: number;
}

/** More credits than can be counted, or a part of one. */
export class BalanceError extends Error {
  override readonly name = 'BalanceError';
}

/** The balance as `GET credits` shows it: credits of an expired subscription are gone. */
export function balance(pools: Pools, now: number): Credits {
  const subscription = liveSubscription(pools, now);
  return {
    permanent: pools.permanent,
    subscription,
    subscription_expires_at: new Date(pools.subscriptionExpiresAt).toISOString(),
    available: pools.permanent + subscription,
  };
}

export function available(pools: Pools, now: number): number {
  return pools.permanent + liveSubscription(pools, now);
}

/**
 * Sets what is given of a workspace's pools.
 *
 * @throws BalanceError, and nothing is set, unless both hold whole credits and no more than 2^53 − 1 together:
 *   beyond, adding one credit would change nothing
 */
export function setPools(
  pools: Pools,
  wanted: { readonly [Name in keyof Pools]?: Pools[Name] | undefined },
): void {
  const permanent = wanted.permanent ?? pools.permanent;
  const subscription = wanted.subscription ?? pools.subscription;
  if (
    ![permanent, subscription, permanent + subscription].every(
      (credits) => credits >= 0 && Number.isSafeInteger(credits),
    )
  ) {
    throw new BalanceError(
      `A balance is at most ${Number.MAX_SAFE_INTEGER} whole credits in both pools together, not ${permanent} permanent and ${subscription} of the subscription`,
    );
  }
  const subscriptionExpiresAt = wanted.subscriptionExpiresAt ?? pools.subscriptionExpiresAt;
  Object.assign(pools, { permanent, subscription, subscriptionExpiresAt });
}

/** Takes credits from the one pool first, the rest from the other. Undefined, and nothing taken: there are not enough. */
export function charge(
  pools: Pools,
  credits: number,
  now: number,
  first: 'subscription' | 'permanent',
): Usage | undefined {
  if (available(pools, now) < credits) return undefined;
  const live = liveSubscription(pools, now);
  const subscription =
    first === 'subscription' ? Math.min(credits, live) : Math.max(0, credits - pools.permanent);
  const permanent = credits - subscription;
  pools.subscription -= subscription;
  pools.permanent -= permanent;
  return { total: credits, subscription, permanent };
}

/** Gives a charge back to the pools that it was taken from, as far as they can hold it. */
export function refund(pools: Pools, usage: Usage): void {
  pools.subscription = Math.min(
    pools.subscription + usage.subscription,
    Number.MAX_SAFE_INTEGER - pools.permanent,
  );
  pools.permanent = Math.min(pools.permanent + usage.permanent, Number.MAX_SAFE_INTEGER - pools.subscription);
}

function liveSubscription(pools: Pools, now: number): number {
  return pools.subscriptionExpiresAt > now ? pools.subscription : 0;
}
