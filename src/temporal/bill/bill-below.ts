import type { Client } from '@temporalio/client';
import { readHistory } from '../history.ts';
import { runsBelow } from '../visibility-query.ts';
import { type BilledTask, billOfRun, mergeBills } from './run-bill.ts';

/** Runs that are read: more than the steps of any pipeline and their reruns. */
const MOST_RUNS = 2_000;

/** What the generations below a workflow id have bought, each task once, whatever has become of that workflow. */
export async function billBelow(client: Client, above: string, goesOn: () => void): Promise<BilledTask[]> {
  const bills: BilledTask[][] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query: runsBelow(above) })) {
    if (!workflowId.startsWith(`${above}/`)) continue;
    const events = await readHistory(client, workflowId, runId);
    if (events !== undefined) bills.push(billOfRun({ workflowId, runId }, events));
    if (bills.length === MOST_RUNS) break;
    goesOn();
  }
  return mergeBills(bills);
}
