import type { WebhookSecret } from './signature/secrets.ts';
import type { VerifyOptions } from './signature/verify.ts';

/** What the receiver must know of a workspace. */
export interface WorkspaceHook extends VerifyOptions {
  /** All that are active; several while rotating. Without any, every delivery is refused. */
  secrets: readonly WebhookSecret[];
}

/** All times in milliseconds, all sizes in bytes. */
export interface ReceiverConfig {
  host: string;
  /** 0 picks a free one. */
  port: number;
  workspaces: ReadonlyMap<string, WorkspaceHook>;
  maxBodyBytes: number;
  holds: {
    /** How long a `task.created` waits for Temporal to show who holds the task. */
    created: number;
    /** How long a terminal event waits for its route. */
    terminal: number;
    /** Events held at the same time; what comes beyond is answered 503. */
    max: number;
  };
  /** `gather`: how long look-ups that are not urgent wait for others to share a query. */
  visibility: { perSecond: number; burst: number; idsPerQuery: number; gather: number };
  caps: {
    /** Open connections. Beyond, silent ones are dropped; where there are none, the newcomer gets 503. */
    connections: number;
    /** Verified deliveries that are not answered yet. */
    inFlight: number;
    /** Bodies kept in memory; only large ones (over 16 KiB) are refused for it. */
    bufferedBytes: number;
  };
  timeouts: { headers: number; request: number; keepAlive: number; drain: number };
  /** `webhook-id`s remembered in each workspace, for 24 hours: beyond this number the oldest are forgotten. */
  rememberedIds: number;
  /** Signals that this process sends to one workflow; the server takes 10,000 a run. */
  signalsPerWorkflow: number;
  /** `Retry-After` of a 503, in seconds. */
  retryAfter: number;
}

/** Everything that has a sensible default; the contract fixes body size, host and port. */
export const RECEIVER_DEFAULTS = {
  host: '127.0.0.1',
  port: 8787,
  maxBodyBytes: 1024 * 1024,
  holds: { created: 2_000, terminal: 3_000, max: 6_000 },
  // A self-hosted frontend allows 10 a second with a burst of 10, and the Web UI wants its share.
  visibility: { perSecond: 8, burst: 4, idsPerQuery: 200, gather: 1_000 },
  caps: { connections: 8_192, inFlight: 8_192, bufferedBytes: 64 * 1024 * 1024 },
  timeouts: { headers: 5_000, request: 10_000, keepAlive: 65_000, drain: 10_000 },
  rememberedIds: 100_000,
  signalsPerWorkflow: 1_000,
  retryAfter: 2,
} as const satisfies Omit<ReceiverConfig, 'workspaces'>;
