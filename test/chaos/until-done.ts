import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { TASK_QUEUE } from './stage.ts';

const OPEN = `TaskQueue = '${TASK_QUEUE}' AND WorkflowType IN ('generation', 'pipeline', 'batch') AND ExecutionStatus = 'Running'`;

/** Waits until no generation, pipeline or batch is open, at most `patience` milliseconds. @returns whether none is */
export async function untilDone(
  client: Client,
  patience: number,
  say: (line: string) => void,
): Promise<boolean> {
  const begin = Date.now();
  let told = begin;
  // Twice in a row: visibility lags behind by some tenths of a second.
  for (let quiet = 0; quiet < 2; ) {
    const open = (await client.workflow.count(OPEN)).count;
    quiet = open === 0 ? quiet + 1 : 0;
    if (Date.now() - begin > patience) return false;
    if (Date.now() - told > 15_000) {
      told = Date.now();
      say(`${open} open, ${Math.round((told - begin) / 1_000)} s after the storm`);
    }
    await delay(400);
  }
  return true;
}
