import { metric } from './query.ts';

export interface Alert {
  name: string;
  /** Fires while it is true for `lasts` (minutes). */
  expression: string;
  lasts: number;
  severity: 'page' | 'ticket';
  /** What has happened; `{{ $labels.… }}` and `{{ $value }}` are filled in. */
  summary: string;
  /** A series that makes it fire, and one that does not, for `promtool test rules`. */
  fires: string;
  silent: string;
}

const NEVER = '0x60';
const ALWAYS = '1x60';

/** A page for each stands in docs/operations.md. */
export const ALERTS: readonly Alert[] = [
  {
    name: 'DarkroomDecisionNeeded',
    expression: `max(${metric('darkroom_runs', { state: 'needs a decision' })}) > 0`,
    lasts: 5,
    severity: 'ticket',
    summary: '{{ $value }} runs wait for a decision.',
    fires: `darkroom_runs{state="needs a decision"} ${ALWAYS}`,
    silent: `darkroom_runs{state="needs a decision"} ${NEVER}`,
  },
  {
    name: 'DarkroomOutOfCredits',
    expression: `max(${metric('darkroom_runs', { state: 'waiting for credits' })}) > 0`,
    lasts: 5,
    severity: 'page',
    summary: '{{ $value }} runs wait for credits.',
    fires: `darkroom_runs{state="waiting for credits"} ${ALWAYS}`,
    silent: `darkroom_runs{state="waiting for credits"} ${NEVER}`,
  },
  {
    name: 'DarkroomStoringHeldUp',
    expression: `max(${metric('darkroom_runs', { state: 'storing is held up' })}) > 0`,
    lasts: 10,
    severity: 'page',
    summary: 'The files of {{ $value }} paid tasks cannot be fetched or stored.',
    fires: `darkroom_runs{state="storing is held up"} ${ALWAYS}`,
    silent: `darkroom_runs{state="storing is held up"} ${NEVER}`,
  },
  ...(
    [
      [
        'DarkroomRecordsUnreadable',
        'reads',
        'Tasks of workspace {{ $labels.workspace }} cannot be read from the API.',
      ],
      ['DarkroomSubmitsFail', 'submits', 'Submits of workspace {{ $labels.workspace }} fail.'],
      ['DarkroomWebhooksMissing', 'webhooks', 'No webhooks come for workspace {{ $labels.workspace }}.'],
      ['DarkroomTemporalAway', 'temporal', 'Temporal does not answer {{ $labels.instance }}.'],
    ] as const
  ).map(
    ([name, what, summary]): Alert => ({
      name,
      expression: `${metric('darkroom_trouble', { what })} > 0`,
      lasts: 1,
      severity: 'page',
      summary,
      fires: `darkroom_trouble{what="${what}",workspace="film"} ${ALWAYS}`,
      silent: `darkroom_trouble{what="${what}",workspace="film"} ${NEVER}`,
    }),
  ),
  {
    name: 'DarkroomDeliveriesRefused',
    expression: `sum(increase(${metric('darkroom_webhook_refused_total', { reason: 'signature mismatch' })}[5m])) > 3`,
    lasts: 0,
    severity: 'ticket',
    summary: 'Deliveries are refused because no secret has signed them.',
    fires: 'darkroom_webhook_refused_total{reason="signature mismatch"} 0+2x60',
    silent: 'darkroom_webhook_refused_total{reason="signature missing"} 0+2x60',
  },
];

/** Prometheus's file of rules. @param minute of the alerts' times, as Prometheus writes durations */
export function rulesFile(minute = (minutes: number): string => `${minutes}m`): string {
  const rules = ALERTS.map(({ name, expression, lasts, severity, summary }) =>
    [
      `      - alert: ${name}`,
      `        expr: ${JSON.stringify(expression)}`,
      ...(lasts === 0 ? [] : [`        for: ${minute(lasts)}`]),
      '        labels:',
      `          severity: ${severity}`,
      '        annotations:',
      `          summary: ${JSON.stringify(summary)}`,
      `          page: docs/operations.md#${name.toLowerCase()}`,
    ].join('\n'),
  );
  return `# Written by npm run metrics.\ngroups:\n  - name: darkroom\n    rules:\n${rules.join('\n')}\n`;
}

/** What `promtool test rules` reads: each alert fires by its series, and not by the other one. */
export function rulesTest(): string {
  const tests = ALERTS.flatMap(({ name, fires, silent }) => [
    testOf(name, fires, true),
    testOf(name, silent, false),
  ]);
  return `# Written by npm run metrics.\nrule_files: [alerts.yml]\nevaluation_interval: 1m\ntests:\n${tests.join('\n')}\n`;
}

function testOf(name: string, series: string, isFiring: boolean): string {
  const at = series.lastIndexOf(' ');
  return [
    '  - interval: 1m',
    '    input_series:',
    `      - series: ${JSON.stringify(series.slice(0, at))}`,
    `        values: ${JSON.stringify(series.slice(at + 1))}`,
    '    promql_expr_test:',
    `      - expr: count(ALERTS{alertname="${name}", alertstate="firing"}) or vector(0)`,
    '        eval_time: 20m',
    `        exp_samples: [{ labels: '{}', value: ${isFiring ? 1 : 0} }]`,
  ].join('\n');
}
