import type { Client } from '@temporalio/client';
import { STEP_MEMO } from '../../contract/steps/step-ids.ts';
import { describeRun } from '../describe-run.ts';
import { readHistory, timeOf } from '../history.ts';
import { runsBelow } from '../visibility-query.ts';
import { type BilledTask, billOfRun, mergeBills } from './run-bill.ts';

/** Runs that are read: more than the steps of any pipeline and their reruns. */
const MOST_RUNS = 2_000;

/** What the generations of a pipeline have bought. */
export interface BillBelow {
  /** Each once, whatever has become of that workflow. */
  tasks: BilledTask[];
  /** One that runs: it may buy more. */
  running: string | undefined;
  /** The generations whose histories the server has, and when the first run of each began that it has. */
  begun: Map<string, number>;
  /** When the last of them ended, in milliseconds since the epoch; 0: none has. */
  endedAt: number;
}

/** Asks what it is given, with not too many others at the same time. */
export type Ask = <T>(question: () => Promise<T>) => Promise<T>;

export async function billBelow(client: Client, above: string, ask: Ask): Promise<BillBelow> {
  const begun = new Map<string, number>();
  let running: string | undefined;
  let endedAt = 0;
  const listed = await ask(() => listBelow(client, above));
  const bills = [...listed].map(async ([workflowId, runIds]) => {
    // A list may not know the latest one yet, nor that it has ended.
    const latest = await ask(() => describeRun(client, workflowId));
    if (latest === undefined) return [];
    runIds.add(latest.runId);
    if (latest.closeTime === undefined) running = workflowId;
    else endedAt = Math.max(endedAt, latest.closeTime.getTime());
    const histories = [...runIds].map((runId) =>
      ask(async () => {
        const events = (await readHistory(client, workflowId, runId)) ?? [];
        const [first] = events;
        // A Reset repeats what the run has told that it was made from, and so begins when that did.
        if (first !== undefined)
          begun.set(workflowId, Math.min(timeOf(first), begun.get(workflowId) ?? Infinity));
        return billOfRun({ workflowId, runId }, events);
      }),
    );
    return mergeBills(await Promise.all(histories));
  });
  return { tasks: mergeBills(await Promise.all(bills)), begun, running, endedAt };
}

/**
 * The runs of a pipeline's generations, by their own ids. Another pipeline's id may begin with this one's and a slash: a
 * generation is of the one whose step it was started as.
 */
async function listBelow(client: Client, above: string): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  const ours = new Set<string>();
  let listed = 0;
  const query = `WorkflowType = 'generation' AND ${runsBelow(above)}`;
  for await (const { workflowId, runId, memo } of client.workflow.list({ query })) {
    if (!workflowId.startsWith(`${above}/`)) continue;
    if (memo?.[STEP_MEMO] === workflowId.slice(above.length + 1)) ours.add(workflowId);
    found.set(workflowId, (found.get(workflowId) ?? new Set()).add(runId));
    listed += 1;
    if (listed === MOST_RUNS) break;
  }
  return new Map([...found].filter(([workflowId]) => ours.has(workflowId)));
}
