import type { Client } from '@temporalio/client';
import type { Registry } from 'prom-client';
import type { EntityKind } from '../contract/workflow-ids.ts';
import { gauge } from '../operations/metrics/create-metrics.ts';
import { oldestRuns } from '../temporal/oldest-runs.ts';

/** How long numbers hold (milliseconds): histories grow slowly, and each look asks the server some twenty times. */
const LIFE = 60_000;
/** Runs in one list, and the oldest ones whose histories are asked for: what grows too long is old. */
const MOST_LISTED = 1_000;
const MOST_ASKED = 10;

const WORKFLOW_TYPES: Readonly<Record<EntityKind, string>> = {
  'unclaimed-tasks': 'unclaimedTasks',
  'credit-gate': 'creditGate',
  'submit-pace': 'submitPace',
  account: 'account',
};

/**
 * Shows how long the histories of open entities are, and since when they run: one that no longer continues as new would
 * be ended by the server. Looked at when somebody asks, who is told the last numbers.
 */
export function measureEntities(registry: Registry, client: Client, taskQueue: string): void {
  let measuredAt = -LIFE;
  const begun = gauge(registry, 'darkroom_entity_oldest_timestamp_seconds');
  gauge(registry, 'darkroom_entity_events', (events) => {
    if (performance.now() - measuredAt < LIFE) return;
    measuredAt = performance.now();
    const show = async (type: string, workflowType: string): Promise<void> => {
      const { longest, oldest } = await measure(client, taskQueue, workflowType);
      events.set({ type }, longest);
      if (oldest === undefined) begun.remove({ type });
      else begun.set({ type }, oldest.getTime() / 1_000);
    };
    for (const [type, workflowType] of Object.entries(WORKFLOW_TYPES))
      void show(type, workflowType).catch(() => undefined); // the numbers stay
  });
}

/** @returns the longest history, in events, and when the oldest run began */
async function measure(
  client: Client,
  taskQueue: string,
  workflowType: string,
): Promise<{ longest: number; oldest: Date | undefined }> {
  const conditions = [
    ['TaskQueue', '=', taskQueue],
    ['ExecutionStatus', '=', 'Running'],
    ['WorkflowType', '=', workflowType],
  ] as const;
  const open = await oldestRuns(client, conditions, MOST_LISTED);
  let longest = 0;
  for (const { workflowId, runId } of open.slice(0, MOST_ASKED)) {
    const { historyLength } = await client.workflow.getHandle(workflowId, runId).describe();
    longest = Math.max(longest, historyLength);
  }
  return { longest, oldest: open[0]?.startTime };
}
