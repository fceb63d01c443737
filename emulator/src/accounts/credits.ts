import type { Credits } from '../../../src/api/credits.ts';
import type { Usage } from '../../../src/api/usage.ts';

/** A workspace's two pools, whole credits. The subscription's lapse at `subscriptionExpiresAt` (ms). */
export interface Pools {
  permanent: number;
  subscription: number;
  subscriptionExpiresAt: number;
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

/** Takes credits, the subscription's first. Undefined, and nothing taken: there are not enough. */
export function charge(pools: Pools, credits: number, now: number): Usage | undefined {
  if (available(pools, now) < credits) return undefined;
  const subscription = Math.min(credits, liveSubscription(pools, now));
  const permanent = credits - subscription;
  pools.subscription -= subscription;
  pools.permanent -= permanent;
  return { total: credits, subscription, permanent };
}

/** Gives a charge back to the pools that it was taken from. */
export function refund(pools: Pools, usage: Usage): void {
  pools.subscription += usage.subscription;
  pools.permanent += usage.permanent;
}

function liveSubscription(pools: Pools, now: number): number {
  return pools.subscriptionExpiresAt > now ? pools.subscription : 0;
}
