import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ConnectionGate } from './http/connection-gate.ts';
import type { HttpRefusal } from './http/read-request.ts';
import type { EventRouting } from './routing/event-routing.ts';
import type { Outcome } from './routing/outcome.ts';
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

/** In seconds: a signal takes some 10 ms, holds take 2 or 3 s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10];

const ROUTED = { 'routed by map': 'map', 'routed by visibility': 'visibility' } as const;

/**
 * Registers the receiver's metrics, which are read when somebody asks for them. No label holds an id, a workspace's name or anything else from outside.
 *
 * @returns takes the seconds from a request's arrival to its acknowledgement
 */
export function registerMetrics(
  registry: Registry,
  counts: ReceiverCounts,
  { gate, routing }: { gate: ConnectionGate; routing: EventRouting },
): (seconds: number) => void {
  const registers = [registry];
  const counter = (name: string, help: string, values: () => number): Counter =>
    new Counter({
      name: `darkroom_webhook_${name}`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(values());
      },
    });
  const counters = (
    name: string,
    help: string,
    label: string,
    values: () => Iterable<readonly [string, number]>,
  ): Counter =>
    new Counter({
      name: `darkroom_webhook_${name}`,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of values()) this.inc({ [label]: value }, count);
      },
    });
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name: `darkroom_webhook_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  const outcome = (name: Outcome): number => counts.outcomes.get(name) ?? 0;

  counter('received_total', 'Requests to a workspace path', () => counts.received);
  counters('refused_total', 'Requests that were refused', 'reason', () => counts.refused);
  counter('duplicates_total', 'Deliveries whose id was acknowledged before', () => outcome('duplicate'));
  counters(
    'routed_total',
    'Events signalled to a workflow',
    'way',
    () => Object.entries(ROUTED).map(([name, way]) => [way, outcome(name as Outcome)] as const), // its keys are outcomes
  );
  counter('unrouted_total', 'Terminal events that found no workflow', () => outcome('unrouted'));
  counters('outcomes_total', 'What became of verified events', 'outcome', () => counts.outcomes);
  counter('signals_shared_total', 'Events that went along with another signal', () => routing.signals.shared);
  counters('visibility_queries_total', 'Visibility queries', 'result', () =>
    Object.entries(routing.visibility.counts),
  );
  counter('connections_evicted_total', 'Silent connections that made room', () => gate.evicted);
  gauge('held_events', 'Events that wait for their route', () => routing.search.held);
  gauge('in_flight', 'Verified deliveries not answered yet', () => counts.inFlight);
  gauge('connections', 'Open connections', () => gate.open);
  const latency = new Histogram({
    name: 'darkroom_webhook_acknowledge_seconds',
    help: 'From the arrival of a request to its acknowledgement',
    buckets: BUCKETS,
    registers,
  });
  return (seconds) => latency.observe(seconds);
}
