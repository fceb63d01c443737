import type { Client } from '@temporalio/client';
import { failureError } from '../../client/failures/failure-error.ts';
import type { RunFailure } from '../../client/failures/run-failed-error.ts';
import { call } from '../../client/following/call.ts';
import { followResult } from '../../client/following/follow-result.ts';
import { follow } from '../../client/following/run-follower.ts';
import { type BatchProgress, type BatchResult, describeWaiting, type RowNeed } from '../../contract/batch.ts';
import { batchProgressQuery } from '../../contract/messages.ts';
import { createProgressDisplay } from '../../terminal/progress-display.ts';
import type { StepLine } from '../../terminal/step-line.ts';
import { formatElapsed } from '../../terminal/units.ts';
import { commandsFor } from '../describe/describe-batch.ts';
import { Silence } from '../follow/silence.ts';
import type { ResultsFile } from './write-results.ts';

/** Milliseconds between two looks at least. */
const INTERVAL = 2_000;
/** A look that is not answered for so long is given up (milliseconds). */
const PATIENCE = 5_000;
/** Columns of the bar. */
const WIDTH = 20;
/** Rows that need a look, as lines below the bar. */
const MOST_NEEDS = 5;

interface Following {
  /** Takes what becomes of the rows on the way. */
  results?: ResultsFile | undefined;
  /** Rejects when the caller does not want to wait any longer. */
  timeUp?: Promise<never> | undefined;
}

/**
 * Waits for a batch's end, and shows how far it is and which rows need a look.
 *
 * @throws RunFailedError, or what `timeUp` rejects with
 */
export async function followBatch(
  client: Client,
  workflowId: string,
  { results, timeUp }: Following,
): Promise<BatchResult> {
  const handle = client.workflow.getHandle(workflowId);
  const display = createProgressDisplay();
  const over = new AbortController();
  const outcome = endOf(client, workflowId);
  const result = Promise.race([outcome, ...(timeUp === undefined ? [] : [timeUp])]);
  const end = (): void => over.abort();
  result.then(end, end);
  const pace = new Pace();
  const look = (): Promise<BatchProgress> =>
    call(client, { timeout: PATIENCE }, () => handle.query(batchProgressQuery));
  const following = follow(client, { workflowId, look }, INTERVAL);
  const silence = new Silence(client, workflowId);
  try {
    while (!over.signal.aborted) {
      const next = following.changed(over.signal, INTERVAL);
      const { why } = await silence.check(following);
      if (why !== undefined) display.note(why);
      const { latest: progress } = following;
      if (progress !== undefined) {
        display.show([
          lineOf(workflowId, progress, pace.timeLeft(progress), display.isLive),
          ...waitOf(workflowId, progress),
          ...progress.attention.slice(0, MOST_NEEDS).map(needOf),
        ]);
        // A row that is open again is waited for: meanwhile the rest is shown, and the time may be up.
        await Promise.race([results?.writeUntil(settledBefore(progress)), next]);
      }
      await next;
    }
    return await result;
  } finally {
    following.leave();
    display.end();
  }
}

async function endOf(client: Client, workflowId: string): Promise<BatchResult> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const outcome = await followResult(client, workflowId, runId);
  if (outcome.ok) return outcome.result as BatchResult; // the workflow's own result type
  const details = outcome.failure.details as RunFailure['details']; // of a request that was refused
  throw failureError({ ...outcome.failure, details, kind: 'batch', workflowId });
}

/** Rows before this one have all settled. */
function settledBefore({ next, running: [first] }: BatchProgress): number {
  return first ?? next;
}

function doneOf({ completed, failed, refused }: BatchProgress): number {
  return completed + failed + refused;
}

/** Rows that wait for their budget. */
function waitOf(workflowId: string, { waiting }: BatchProgress): StepLine[] {
  if (waiting === undefined) return [];
  return [{ name: `${workflowId}: budget`, model: '', state: 'running', note: describeWaiting(waiting) }];
}

/** A row that needs a look. */
function needOf(need: RowNeed): StepLine {
  const { workflowId, state, note } = need;
  const words = note === undefined ? state : `${state}: ${note}`;
  return { name: workflowId, model: '', state: 'attention', note: words, commands: commandsFor(need) };
}

/** How long the rest will take, by how long what was done meanwhile has taken. */
class Pace {
  #since: { at: number; done: number } | undefined;

  timeLeft(progress: BatchProgress): string {
    const done = doneOf(progress);
    this.#since ??= { at: Date.now(), done };
    const rows = done - this.#since.done;
    if (rows === 0) return '';
    const each = (Date.now() - this.#since.at) / rows;
    return `, ${formatElapsed(each * (progress.rows - done))} left`;
  }
}

/**
 * `██████░░░░ 3120 of 10000 · 4 failed · 24960 credits, 12 min 05 s left`; where each line stays, one for every percent
 * and without what changes all the time.
 */
function lineOf(name: string, progress: BatchProgress, left: string, isLive: boolean): StepLine {
  const { rows, completed, failed, usage, startedAt } = progress;
  const share = rows === 0 ? 1 : doneOf(progress) / rows;
  const state = { name, model: '', state: 'running', elapsed: Date.now() - Date.parse(startedAt) } as const;
  if (!isLive) return { ...state, note: `${Math.floor(share * 100)} % of ${rows} rows` };
  const full = Math.round(share * WIDTH);
  const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
  const lost = failed === 0 ? '' : ` · ${failed} failed`;
  return { ...state, note: `${bar} ${completed} of ${rows}${lost} · ${usage.total} credits${left}` };
}
