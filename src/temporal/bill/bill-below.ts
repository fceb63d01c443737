import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { describeRun } from '../describe-run.ts';
import { readHistory } from '../history.ts';
import { runsBelow } from '../visibility-query.ts';
import { type BilledTask, billOfRun, mergeBills } from './run-bill.ts';

/** Runs that are read: more than the steps of any pipeline and their reruns. And so many at once. */
const MOST_RUNS = 2_000;
const AT_ONCE = 10;

/** What the generations below a workflow id have bought. */
export interface BillBelow {
  /** Each once, whatever has become of that workflow. */
  tasks: BilledTask[];
  /** One that runs: it may buy more. */
  running: string | undefined;
  /** When the last of them ended, in milliseconds since the epoch; 0: none has. */
  endedAt: number;
}

export async function billBelow(client: Client, above: string, goesOn: () => void): Promise<BillBelow> {
  const runs = new Map<string, Set<string>>();
  let listed = 0;
  for await (const { workflowId, runId } of client.workflow.list({ query: runsBelow(above) })) {
    if (!workflowId.startsWith(`${above}/`)) continue;
    runs.set(workflowId, (runs.get(workflowId) ?? new Set()).add(runId));
    listed += 1;
    if (listed === MOST_RUNS) break;
  }
  const next = pLimit(AT_ONCE);
  const read = async <T>(reading: () => Promise<T>): Promise<T> =>
    await next(async () => {
      const found = await reading();
      goesOn();
      return found;
    });
  let running: string | undefined;
  let endedAt = 0;
  const bills = [...runs].map(async ([workflowId, runIds]) => {
    // A list may not know the latest one yet, nor that it has ended.
    const latest = await read(() => describeRun(client, workflowId));
    if (latest !== undefined) runIds.add(latest.runId);
    if (latest !== undefined && latest.closeTime === undefined) running = workflowId;
    endedAt = Math.max(endedAt, latest?.closeTime?.getTime() ?? 0);
    const histories = [...runIds].map(async (runId) => {
      const events = await read(() => readHistory(client, workflowId, runId));
      return events === undefined ? [] : billOfRun({ workflowId, runId }, events);
    });
    return mergeBills(await Promise.all(histories));
  });
  return { tasks: mergeBills(await Promise.all(bills)), running, endedAt };
}
