import { Context } from '@temporalio/activity';

/** The part of its time-out in which an activity needs no heartbeat. */
const UNSAID = 0.25;

/** By attempt: when it first told that it goes on. */
const began = new WeakMap<Context, number>();

/**
 * Tells Temporal that the activity goes on, once a quarter of its heartbeat's time-out has passed of its attempt. The SDK
 * sends the first heartbeat at once, and each is billed: what ends soon needs none. One without that time-out sends none.
 */
export function goesOn(): void {
  const context = Context.current();
  const { heartbeatTimeoutMs, currentAttemptScheduledTimestampMs } = context.info;
  if (!heartbeatTimeoutMs) return;
  const now = performance.now();
  const first = began.get(context) ?? now;
  began.set(context, first);
  // The first step may be the long one. That time is the server's: where clocks differ, the time since then counts.
  const lasted = Math.max(now - first, Date.now() - currentAttemptScheduledTimestampMs);
  if (lasted >= UNSAID * heartbeatTimeoutMs) context.heartbeat();
}
