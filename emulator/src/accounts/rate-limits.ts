/** At most `limit` submits in any `windowMs`, as a bucket that refills evenly and holds `burst`. */
export interface RateLimit {
  limit: number;
  windowMs: number;
  /** Default: `limit`. */
  burst?: number | undefined;
  /** How a refusal says when to come back. */
  retryAfter: 'seconds' | 'date' | 'none';
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** One bucket for each workspace. */
export class RateLimits {
  readonly #buckets = new Map<string, Bucket>();

  /** Takes one submit. @returns 0, or the milliseconds until the next one would be taken */
  take(workspace: string, limit: RateLimit, now: number): number {
    const size = limit.burst ?? limit.limit;
    const perMs = limit.limit / limit.windowMs;
    let bucket = this.#buckets.get(workspace);
    if (bucket === undefined) {
      bucket = { tokens: size, filledAt: now };
      this.#buckets.set(workspace, bucket);
    }
    bucket.tokens = Math.min(size, bucket.tokens + (now - bucket.filledAt) * perMs);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / perMs);
    bucket.tokens -= 1;
    return 0;
  }

  /** A changed limit starts with a full bucket. */
  forget(workspace: string): void {
    this.#buckets.delete(workspace);
  }
}

/** The header that goes with a refusal. Seconds are rounded up: coming back at that time must be enough. */
export function retryAfterHeader(limit: RateLimit, waitMs: number, now: number): Record<string, string> {
  if (limit.retryAfter === 'none') return {};
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return {
    'retry-after':
      limit.retryAfter === 'seconds' ? String(seconds) : new Date(now + (seconds + 1) * 1000).toUTCString(),
  };
}
