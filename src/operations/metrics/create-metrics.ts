import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type LabelOf, METRICS, type MetricName, type MetricSpec, type NameOf } from './metric-table.ts';

/** One of the table's counters. @param collect called before it is read */
export function counter<Name extends NameOf<'counter'>>(
  registry: Registry,
  name: Name,
  collect?: (counter: Counter<LabelOf<Name>>) => void,
): Counter<LabelOf<Name>> {
  const made: Counter<LabelOf<Name>> = new Counter({
    ...optionsOf(registry, name),
    ...collecting(() => made, collect),
  });
  return made;
}

/** One of the table's gauges. @param collect called before it is read */
export function gauge<Name extends NameOf<'gauge'>>(
  registry: Registry,
  name: Name,
  collect?: (gauge: Gauge<LabelOf<Name>>) => void | Promise<void>,
): Gauge<LabelOf<Name>> {
  const made: Gauge<LabelOf<Name>> = new Gauge({
    ...optionsOf(registry, name),
    ...collecting(() => made, collect),
  });
  return made;
}

/** One of the table's histograms. */
export function histogram<Name extends NameOf<'histogram'>>(
  registry: Registry,
  name: Name,
): Histogram<LabelOf<Name>> {
  return new Histogram({ ...optionsOf(registry, name), buckets: [...METRICS[name].buckets] });
}

function optionsOf<Name extends MetricName>(registry: Registry, name: Name) {
  const { help, labels }: MetricSpec = METRICS[name];
  return { name, help, labelNames: labels as readonly LabelOf<Name>[], registers: [registry] }; // the table's own
}

function collecting<Metric>(
  made: () => Metric,
  collect: ((metric: Metric) => void | Promise<void>) | undefined,
): { collect?: () => void | Promise<void> } {
  return collect === undefined ? {} : { collect: () => collect(made()) };
}
