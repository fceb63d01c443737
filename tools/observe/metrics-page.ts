import { METRICS, type MetricSpec } from '../../src/operations/metrics/metric-table.ts';

const WHERE: Readonly<Record<MetricSpec['of'], string>> = {
  worker: 'worker',
  receiver: 'receiver',
  both: 'both',
};

/** The table of docs/metrics.md. */
export function metricsTable(): string {
  const rows = Object.entries<MetricSpec>(METRICS).map(([name, { type, help, labels, of }]) => {
    const label = labels.length === 0 ? '' : `{${labels.join(',')}}`;
    return `| \`${name}${label}\` | ${type} | ${WHERE[of]} | ${help} |`;
  });
  return ['| metric | type | of | what |', '|---|---|---|---|', ...rows, ''].join('\n');
}
