import {
  type LabelOf,
  METRICS,
  type MetricName,
  type MetricSpec,
} from '../../src/operations/metrics/metric-table.ts';

/** Metrics of Temporal's server (`action`), of its SDK and of the process that panels show. */
export type OtherMetric =
  | 'action'
  | 'temporal_workflow_task_schedule_to_start_latency_seconds'
  | 'temporal_activity_schedule_to_start_latency_seconds'
  | 'temporal_worker_task_slots_available'
  | 'temporal_sticky_cache_size'
  | 'process_cpu_seconds_total'
  | 'process_resident_memory_bytes';

/** A metric in a query; only what is in the table can be named, by its own labels. */
export function metric<Name extends MetricName>(
  name: Name,
  labels: Partial<Record<LabelOf<Name>, string>> = {},
): string {
  const spec: MetricSpec = METRICS[name];
  const matches = Object.entries<string | undefined>(labels).map(([label, value]) => `${label}=~"${value}"`);
  const suffix = spec.type === 'histogram' ? '_bucket' : '';
  return `${name}${suffix}${matches.length === 0 ? '' : `{${matches.join(',')}}`}`;
}

/** The rate a second of a counter, added up over all processes, by some of its labels. */
export function rate<Name extends MetricName>(name: Name, ...by: LabelOf<Name>[]): string {
  return sumBy(by, `rate(${metric(name)}[5m])`);
}

/** How much a counter has grown in an hour. */
export function grown<Name extends MetricName>(
  name: Name,
  labels?: Partial<Record<LabelOf<Name>, string>>,
): string {
  return `sum(increase(${metric(name, labels)}[1h])) or vector(0)`;
}

/** A quantile of a histogram of ours, by some of its labels. */
export function quantile<Name extends MetricName>(share: number, name: Name, ...by: LabelOf<Name>[]): string {
  return `histogram_quantile(${share}, ${sumBy(['le', ...by], `rate(${metric(name)}[5m])`)})`;
}

/** The same of one of the SDK's. */
export function otherQuantile(share: number, name: OtherMetric, by: string): string {
  return `histogram_quantile(${share}, ${sumBy(['le', by], `rate(${name}_bucket[5m])`)})`;
}

export function sumBy(labels: readonly string[], expression: string): string {
  return labels.length === 0 ? `sum(${expression})` : `sum by (${labels.join(', ')}) (${expression})`;
}
