/** What a metric is. Labels hold names that are configured or fixed, never an id or anything else from outside. */
export interface MetricSpec {
  type: 'counter' | 'gauge' | 'histogram';
  /** What it counts or measures, as Prometheus shows it. */
  help: string;
  labels: readonly string[];
  /** Upper bounds of a histogram, in the unit of its name. */
  buckets?: readonly number[];
  /** Which program has it. */
  of: 'worker' | 'receiver' | 'both';
}

/** A signal takes some 10 ms, holds take 2 or 3 s. */
const ACKNOWLEDGEMENT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10];
/** Tasks take seconds to an hour. */
const TASK = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600];
const WAIT = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];

/**
 * Every metric of ours, by Prometheus's conventions. From this table come the metrics themselves, docs/metrics.md, and
 * the dashboards and alerts of deploy/observe, which can name no other.
 */
export const METRICS = {
  darkroom_submits_total: {
    type: 'counter',
    help: "Submits that were sent: accepted, rejected or unknown, and the API's code",
    labels: ['outcome', 'code'],
    of: 'worker',
  },
  darkroom_attempts_total: {
    type: 'counter',
    help: 'Attempts that have ended',
    labels: ['model', 'outcome', 'code'],
    of: 'worker',
  },
  darkroom_credits_total: {
    type: 'counter',
    help: 'Credits that attempts have been charged, each task once',
    labels: ['workspace', 'model'],
    of: 'worker',
  },
  darkroom_settled_total: {
    type: 'counter',
    help: 'Tasks whose end was found, by webhook or poll',
    labels: ['by'],
    of: 'worker',
  },
  darkroom_result_seconds: {
    type: 'histogram',
    help: 'From an accepted submit to its stored files',
    labels: ['model'],
    buckets: TASK,
    of: 'worker',
  },
  darkroom_submit_wait_seconds: {
    type: 'histogram',
    help: 'From when a submit is wanted to its POST',
    labels: [],
    buckets: WAIT,
    of: 'worker',
  },
  darkroom_adoptions_total: {
    type: 'counter',
    help: 'Tasks that were taken over instead of bought',
    labels: ['model'],
    of: 'worker',
  },
  darkroom_decisions_asked_total: {
    type: 'counter',
    help: 'Questions to people: a lost submit, or a task that has vanished',
    labels: ['model'],
    of: 'worker',
  },
  darkroom_late_proofs_total: {
    type: 'counter',
    help: 'Submits that were given up as unknown, and were charged',
    labels: ['model'],
    of: 'worker',
  },
  darkroom_handed_over_answers_total: {
    type: 'counter',
    help: 'Answers that did not reach their workflow, and were handed over',
    labels: [],
    of: 'worker',
  },
  darkroom_altered_fields_total: {
    type: 'counter',
    help: 'Fields that the API has altered',
    labels: ['model', 'field'],
    of: 'worker',
  },
  darkroom_caps_passed_total: {
    type: 'counter',
    help: 'Periods in which a cap that only warns was passed',
    labels: ['account'],
    of: 'worker',
  },
  darkroom_price_alarms_total: {
    type: 'counter',
    help: 'Tasks that cost over three times the usual price',
    labels: ['model'],
    of: 'worker',
  },
  darkroom_runs: {
    type: 'gauge',
    help: 'Open runs of the task queue that need a look; the same from each worker',
    labels: ['state'],
    of: 'worker',
  },
  darkroom_entity_events: {
    type: 'gauge',
    help: 'Longest history among the ten open entities of a type that have run longest; the same from each worker',
    labels: ['type'],
    of: 'worker',
  },
  darkroom_entity_oldest_timestamp_seconds: {
    type: 'gauge',
    help: 'When the oldest open run of an entity type began; the same from each worker',
    labels: ['type'],
    of: 'worker',
  },
  darkroom_trouble: {
    type: 'gauge',
    help: 'What lastingly fails in this process: 1, and 0 when it is over',
    labels: ['what', 'workspace'],
    of: 'both',
  },
  darkroom_webhook_received_total: {
    type: 'counter',
    help: 'Requests to a workspace path',
    labels: [],
    of: 'receiver',
  },
  darkroom_webhook_refused_total: {
    type: 'counter',
    help: 'Requests that were refused',
    labels: ['reason'],
    of: 'receiver',
  },
  darkroom_webhook_outcomes_total: {
    type: 'counter',
    help: 'What became of verified events; unavailable: not handed over',
    labels: ['outcome'],
    of: 'receiver',
  },
  darkroom_webhook_duplicates_total: {
    type: 'counter',
    help: 'Deliveries whose id was acknowledged before',
    labels: [],
    of: 'receiver',
  },
  darkroom_webhook_routed_total: {
    type: 'counter',
    help: 'Events signalled to a workflow',
    labels: ['way'],
    of: 'receiver',
  },
  darkroom_webhook_unrouted_total: {
    type: 'counter',
    help: 'Terminal events that found no workflow',
    labels: [],
    of: 'receiver',
  },
  darkroom_webhook_signals_shared_total: {
    type: 'counter',
    help: 'Events that went along with another signal',
    labels: [],
    of: 'receiver',
  },
  darkroom_webhook_visibility_queries_total: {
    type: 'counter',
    help: 'Visibility queries; busy: too many for the server',
    labels: ['result'],
    of: 'receiver',
  },
  darkroom_webhook_connections_evicted_total: {
    type: 'counter',
    help: 'Silent connections that made room',
    labels: [],
    of: 'receiver',
  },
  darkroom_webhook_held_events: {
    type: 'gauge',
    help: 'Events that wait for their route',
    labels: [],
    of: 'receiver',
  },
  darkroom_webhook_in_flight: {
    type: 'gauge',
    help: 'Verified deliveries not answered yet',
    labels: [],
    of: 'receiver',
  },
  darkroom_webhook_connections: { type: 'gauge', help: 'Open connections', labels: [], of: 'receiver' },
  darkroom_webhook_last_event_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last signed event came',
    labels: ['workspace'],
    of: 'receiver',
  },
  darkroom_webhook_acknowledge_seconds: {
    type: 'histogram',
    help: 'From a request to its acknowledgement',
    labels: [],
    buckets: ACKNOWLEDGEMENT,
    of: 'receiver',
  },
  darkroom_task_seconds: {
    type: 'histogram',
    help: "From a task's creation to its end, by the API's own clock",
    labels: [],
    buckets: TASK,
    of: 'receiver',
  },
} as const satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof METRICS;
export type LabelOf<Name extends MetricName> = (typeof METRICS)[Name]['labels'][number];
export type NameOf<Type extends MetricSpec['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];
