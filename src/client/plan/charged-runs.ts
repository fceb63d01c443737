import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { isRecord } from '../../api/json/is-record.ts';
import type { GenerationResult } from '../../contract/generation.ts';
import { type ListedRun, laterRuns } from '../../temporal/list-runs.ts';
import { readEnds } from './closed-run.ts';

/** What runs have cost that were Reset. */
export interface Charges {
  /** Credits that the new runs which have ended have been charged. */
  credits: number;
  /** How those ended: Temporal's words. */
  ended: Record<string, number>;
  /** Runs that still go on. */
  open: number;
}

/** Between two looks at the list (milliseconds). */
const PAUSE = 2_000;
const AT_ONCE = 20;

/**
 * Waits for the runs that have followed these to end, and adds up what they were charged.
 *
 * @param timeout milliseconds; those that go on then are counted as open
 */
export async function chargesAfter(
  client: Client,
  runs: readonly ListedRun[],
  timeout: number,
): Promise<Charges> {
  const until = Date.now() + timeout;
  const next = pLimit(AT_ONCE);
  const charged = new Map<string, { status: string; credits: number }>();
  for (;;) {
    const waiting = runs.filter(({ workflowId }) => !charged.has(workflowId));
    const closed = (await laterRuns(client, waiting)).filter(({ status }) => status !== 'RUNNING');
    await Promise.all(
      closed.map((run) =>
        next(async () => {
          const credits = await chargedBy(client, run);
          charged.set(run.workflowId, { status: run.status, credits });
        }),
      ),
    );
    if (charged.size >= runs.length || Date.now() >= until) break;
    await delay(PAUSE);
  }
  const ended: Record<string, number> = {};
  let credits = 0;
  for (const one of charged.values()) {
    ended[one.status] = (ended[one.status] ?? 0) + 1;
    credits += one.credits;
  }
  return { credits, ended, open: runs.length - charged.size };
}

async function chargedBy(client: Client, run: ListedRun): Promise<number> {
  const ends = await readEnds(client, run);
  const told = ends?.result ?? ends?.failure?.details;
  // Results and failures of generations and pipelines have it alike.
  return isRecord(told) && isRecord(told['charged'])
    ? (told as unknown as GenerationResult).charged.total
    : 0;
}
