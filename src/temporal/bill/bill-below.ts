import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { readHistory } from '../history.ts';
import { runsBelow } from '../visibility-query.ts';
import { type BilledTask, billOfRun, mergeBills } from './run-bill.ts';

/** Runs that are read: more than the steps of any pipeline and their reruns. And histories at once. */
const MOST_RUNS = 2_000;
const AT_ONCE = 10;

/** What the generations below a workflow id have bought, each task once, whatever has become of that workflow. */
export async function billBelow(client: Client, above: string, goesOn: () => void): Promise<BilledTask[]> {
  const runs: { workflowId: string; runId: string }[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query: runsBelow(above) })) {
    if (workflowId.startsWith(`${above}/`)) runs.push({ workflowId, runId });
    if (runs.length === MOST_RUNS) break;
  }
  const next = pLimit(AT_ONCE);
  const bills = runs.map((run) =>
    next(async () => {
      const events = await readHistory(client, run.workflowId, run.runId);
      goesOn();
      return events === undefined ? [] : billOfRun(run, events);
    }),
  );
  return mergeBills(await Promise.all(bills));
}
