import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { type HeldUp, submitHeldUpSignal } from '../../contract/messages.ts';

/** What holds a submit up; of a higher rank: its run needs a look for it. */
const RANKS = { budget: 1, cap: 2, api: 2, account: 2, worker: 2 } as const;
type By = keyof typeof RANKS;

/** Other words for the same are told once they may have been shown for so long (milliseconds): others hold the credits by then. */
const OTHER_WORDS = 60_000;
/** What is no rise is told at once the first time; then some such pauses later, twice as many for each time (milliseconds). */
const PAUSE = 5_000;

/** What holds a submit up, in words. */
export interface HoldUp {
  by: By;
  reason: string;
}

/** What the run shows (null: nothing), since when (milliseconds since the epoch), and how often it was told of a change. */
export interface Shown {
  by: By | null;
  reason: string | null;
  at: number;
  times: number;
}

const NOTHING: Shown = { by: null, reason: null, at: 0, times: 0 };

/**
 * Whether the run is to be told: of what is more urgent at once, of anything else the later, the more often it was told.
 * Of what changes again and again it is told some forty times in a month.
 */
export function isToTell(holdUp: HoldUp | undefined, shown: Shown, now: number): boolean {
  const { by = null, reason = null } = holdUp ?? {};
  if (by === shown.by && (reason === shown.reason || now - shown.at < OTHER_WORDS)) return false;
  return rankOf(by) > rankOf(shown.by) || now - shown.at >= PAUSE * (2 ** ((shown.times - 1) / 2) - 1);
}

/**
 * The run shows from here on what holds its submit up, or that nothing does any more: it cannot see the tries by itself.
 *
 * @param memory carries what is shown from attempt to attempt
 */
export async function showHoldUp(
  temporal: Client,
  memory: { shown?: Shown },
  holdUp: HoldUp | undefined,
): Promise<void> {
  const { shown = NOTHING } = memory;
  const { by = null, reason = null } = holdUp ?? {};
  // Its time is the server's: attempts may run on other machines.
  const { workflowExecution, currentAttemptScheduledTimestampMs: at } = Context.current().info;
  if (!isToTell(holdUp, shown, at)) return;
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  const told: HeldUp = { reason, ...(by === 'budget' ? { by } : {}) };
  try {
    await temporal.workflow.getHandle(workflowId, runId).signal(submitHeldUpSignal, told);
    memory.shown = { by, reason, at, times: shown.times + 1 };
  } catch {
    // The tries go on, and the next one tells.
  }
}

function rankOf(by: By | null): number {
  return by === null ? 0 : RANKS[by];
}
