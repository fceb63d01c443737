import type { Registry } from 'prom-client';
import { counter, gauge, histogram } from '../operations/metrics/create-metrics.ts';
import type { ConnectionGate } from './http/connection-gate.ts';
import type { HttpRefusal } from './http/read-request.ts';
import type { EventRouting } from './routing/event-routing.ts';
import type { Outcome } from './routing/outcome.ts';
import type { SeenEvents } from './seen-events.ts';
import type { RefusalReason } from './signature/verify.ts';

/** Why a request was not taken as an event, before anything was handed over. */
export type RequestRefusal =
  | HttpRefusal['reason']
  | `signature ${RefusalReason}`
  | 'unknown workspace'
  | 'no event'
  /** The header says another type than the body. */
  | 'event type'
  | 'framing'
  | 'timeout'
  | 'headers too large'
  | 'too many connections'
  | 'too many in flight'
  | 'aborted';

/** What the receiver counts: plain numbers, read only when somebody asks for the metrics. */
export class ReceiverCounts {
  /** Requests to a workspace's path. */
  received = 0;
  /** Verified deliveries that are not answered yet. */
  inFlight = 0;
  readonly refused = new Map<RequestRefusal, number>();
  readonly outcomes = new Map<Outcome, number>();

  refuse(reason: RequestRefusal): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
  }

  settle(outcome: Outcome): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}

const ROUTED = { 'routed by map': 'map', 'routed by visibility': 'visibility' } as const;

/** The counters of the receiver that have one label, with it. */
const LABELS = {
  darkroom_webhook_refused_total: 'reason',
  darkroom_webhook_routed_total: 'way',
  darkroom_webhook_outcomes_total: 'outcome',
  darkroom_webhook_visibility_queries_total: 'result',
} as const;

/**
 * Registers the receiver's metrics, which are read when somebody asks for them.
 *
 * @param seen what has come, by workspace
 * @returns `latency` takes the seconds from a request's arrival to its acknowledgement, `task` those that a task took
 */
export function registerMetrics(
  registry: Registry,
  counts: ReceiverCounts,
  {
    gate,
    routing,
    seen,
  }: { gate: ConnectionGate; routing: EventRouting; seen: ReadonlyMap<string, SeenEvents> },
): Record<'latency' | 'task', (seconds: number) => void> {
  const count = (name: Parameters<typeof counter>[1], value: () => number): void => {
    counter(registry, name, (made) => {
      made.reset();
      made.inc(value());
    });
  };
  const countEach = (name: keyof typeof LABELS, values: () => Iterable<readonly [string, number]>): void => {
    counter(registry, name, (made) => {
      made.reset();
      for (const [value, times] of values()) made.inc({ [LABELS[name]]: value }, times);
    });
  };
  const show = (name: Parameters<typeof gauge>[1], value: () => number): void => {
    gauge(registry, name, (made) => made.set(value()));
  };
  const outcome = (name: Outcome): number => counts.outcomes.get(name) ?? 0;

  count('darkroom_webhook_received_total', () => counts.received);
  countEach('darkroom_webhook_refused_total', () => counts.refused);
  count('darkroom_webhook_duplicates_total', () => outcome('duplicate'));
  countEach(
    'darkroom_webhook_routed_total',
    () => Object.entries(ROUTED).map(([name, way]) => [way, outcome(name as Outcome)] as const), // its keys are outcomes
  );
  count('darkroom_webhook_unrouted_total', () => outcome('unrouted'));
  countEach('darkroom_webhook_outcomes_total', () => counts.outcomes);
  count('darkroom_webhook_signals_shared_total', () => routing.signals.shared);
  countEach('darkroom_webhook_visibility_queries_total', () => Object.entries(routing.visibility.counts));
  count('darkroom_webhook_connections_evicted_total', () => gate.evicted);
  show('darkroom_webhook_held_events', () => routing.search.held);
  show('darkroom_webhook_in_flight', () => counts.inFlight);
  show('darkroom_webhook_connections', () => gate.open);
  gauge(registry, 'darkroom_webhook_last_event_timestamp_seconds', (made) => {
    for (const [workspace, { lastAt }] of seen)
      if (lastAt !== undefined) made.set({ workspace }, lastAt / 1_000);
  });
  const latency = histogram(registry, 'darkroom_webhook_acknowledge_seconds');
  const task = histogram(registry, 'darkroom_task_seconds');
  return { latency: (seconds) => latency.observe(seconds), task: (seconds) => task.observe(seconds) };
}
