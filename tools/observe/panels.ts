import { grown, metric, type OtherMetric, otherQuantile, quantile, rate, sumBy } from './query.ts';

export interface Panel {
  title: string;
  /** What it does not show by itself. */
  description?: string;
  /** Grafana's name of the unit. */
  unit: 'short' | 's' | 'ops' | 'bytes' | 'percentunit';
  /** By legend, which may name labels: `{{model}}`. */
  queries: Readonly<Record<string, string>>;
}

const other = (name: OtherMetric): string => name;

/** The panels of the dashboard, two in a row: what matters first. */
export const PANELS: readonly Panel[] = [
  {
    title: 'Runs that need a look',
    unit: 'short',
    queries: { '{{state}}': `max by (state) (${metric('darkroom_runs')})` },
  },
  {
    title: 'Lasting troubles (1: yes)',
    unit: 'short',
    queries: {
      '{{what}} {{workspace}}': `max by (what, workspace) (${metric('darkroom_trouble')})`,
      any: `max(${metric('darkroom_trouble')}) or vector(0)`,
    },
  },
  {
    title: 'Credits an hour',
    unit: 'short',
    queries: { '{{workspace}} {{model}}': `${rate('darkroom_credits_total', 'workspace', 'model')} * 3600` },
  },
  {
    title: 'Attempts that ended',
    unit: 'ops',
    queries: { '{{outcome}} {{code}}': rate('darkroom_attempts_total', 'outcome', 'code') },
  },
  {
    title: 'Submits',
    unit: 'ops',
    queries: { '{{outcome}} {{code}}': rate('darkroom_submits_total', 'outcome', 'code') },
  },
  {
    title: 'In the last hour',
    unit: 'short',
    queries: {
      unknown: grown('darkroom_submits_total', { outcome: 'unknown' }),
      adopted: grown('darkroom_adoptions_total'),
      'people asked': grown('darkroom_decisions_asked_total'),
      'proven late': grown('darkroom_late_proofs_total'),
    },
  },
  {
    title: 'Submit to result',
    unit: 's',
    queries: {
      '{{model}} half': quantile(0.5, 'darkroom_result_seconds', 'model'),
      '{{model}} 95 %': quantile(0.95, 'darkroom_result_seconds', 'model'),
      'at the API half': quantile(0.5, 'darkroom_task_seconds'),
      'at the API 95 %': quantile(0.95, 'darkroom_task_seconds'),
    },
  },
  {
    title: 'Wait of a submit for its turn',
    unit: 's',
    queries: {
      half: quantile(0.5, 'darkroom_submit_wait_seconds'),
      '95 %': quantile(0.95, 'darkroom_submit_wait_seconds'),
    },
  },
  {
    title: "What told of a task's end",
    unit: 'ops',
    queries: { '{{by}}': rate('darkroom_settled_total', 'by') },
  },
  {
    title: 'Since the last webhook',
    unit: 's',
    queries: {
      '{{workspace}}': `time() - max by (workspace) (${metric('darkroom_webhook_last_event_timestamp_seconds')})`,
    },
  },
  {
    title: 'Webhooks',
    unit: 'ops',
    queries: {
      received: rate('darkroom_webhook_received_total'),
      '{{outcome}}': rate('darkroom_webhook_outcomes_total', 'outcome'),
      'refused: {{reason}}': rate('darkroom_webhook_refused_total', 'reason'),
    },
  },
  {
    title: 'Acknowledgement of a webhook',
    unit: 's',
    queries: { '95 %': quantile(0.95, 'darkroom_webhook_acknowledge_seconds') },
  },
  {
    title: 'Longest history of an entity (events)',
    unit: 'short',
    queries: { '{{type}}': `max by (type) (${metric('darkroom_entity_events')})` },
  },
  {
    title: 'Oldest run of an entity',
    unit: 's',
    queries: {
      '{{type}}': `time() - min by (type) (${metric('darkroom_entity_oldest_timestamp_seconds')})`,
    },
  },
  {
    title: 'Temporal actions an hour (estimated)',
    description:
      "What Temporal Cloud would bill, as Temporal's own server counts it: scrape that, too. All that runs in a namespace is in it. What Cloud bills beside it is not: fairness keys, exports, reserved capacity, storage. On Cloud take its temporal_cloud_v1_total_action_count.",
    unit: 'short',
    queries: {
      '{{namespace}} {{action_type}}': `${sumBy(['namespace', 'action_type'], `rate(${other('action')}[5m])`)} * 3600`,
    },
  },
  {
    title: 'Tasks wait for a worker (95 %)',
    unit: 's',
    queries: {
      'workflows {{task_queue}}': otherQuantile(
        0.95,
        'temporal_workflow_task_schedule_to_start_latency_seconds',
        'task_queue',
      ),
      'activities {{task_queue}}': otherQuantile(
        0.95,
        'temporal_activity_schedule_to_start_latency_seconds',
        'task_queue',
      ),
    },
  },
  {
    title: 'Free slots',
    unit: 'short',
    queries: {
      '{{worker_type}} {{task_queue}}': sumBy(
        ['worker_type', 'task_queue'],
        other('temporal_worker_task_slots_available'),
      ),
    },
  },
  {
    title: 'Workflows in cache',
    unit: 'short',
    queries: { all: sumBy([], other('temporal_sticky_cache_size')) },
  },
  {
    title: 'Processes',
    unit: 'percentunit',
    queries: { 'CPU {{instance}}': `rate(${other('process_cpu_seconds_total')}[5m])` },
  },
];
