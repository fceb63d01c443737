import { METRICS, type MetricSpec } from '../../src/operations/metrics/metric-table.ts';

const PROGRAMS: readonly (readonly [of: MetricSpec['of'], title: string])[] = [
  ['worker', 'a worker'],
  ['receiver', 'a receiver'],
  ['both', 'both'],
];

/** The lists of docs/metrics.md. */
export function metricsTable(): string {
  const all = Object.entries<MetricSpec>(METRICS);
  return PROGRAMS.map(([program, title]) => {
    const rows = all.flatMap(([name, { help, labels, of }]) => {
      const label = labels.length === 0 ? '' : `{${labels.join(',')}}`;
      return of === program ? `- \`${name}${label}\`: ${help}` : [];
    });
    return [`Of ${title}:\n`, ...rows, ''].join('\n');
  }).join('\n');
}
