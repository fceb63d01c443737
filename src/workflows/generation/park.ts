import { condition } from '@temporalio/workflow';
import { cutLabel } from '../../contract/summary.ts';
import { admitsSubmit, pauseBeforeBalance } from '../../policy/credit-pace.ts';
import { formatDuration } from '../../policy/duration.ts';
import { askEntity, entities } from './activities.ts';
import { isDue } from './evidence.ts';
import type { Parked } from './stage.ts';
import { at, type Run, type State, withNews } from './state.ts';
import { endParking, ownRandom } from './transitions.ts';

/** A balance that the worker has read so long ago is good enough for a look (milliseconds). */
const FRESH = 15_000;

/**
 * Waits for credits instead of failing. All parked generations of a workspace share one gate, which looks at the
 * balance once for all and wakes them in order; it makes things quick. The run looks for itself, too, on a growing
 * pause, and enters the gate again each time: one that was terminated, or had no room, does not know it. Ends early by
 * `checkNow`, and where a task may have come that is looked at before anything is bought.
 */
export async function park(state: State, stage: Parked, run: Run): Promise<State> {
  const { parkId, until, nextAt } = stage;
  if (until <= Date.now()) {
    await leave(run, parkId);
    return endParking(state, stage.end);
  }
  const isReleased = (): boolean => run.now().heard.released.includes(parkId);
  if (nextAt === undefined && !isReleased()) return await lookAtBalance(state, stage, run);
  const isAsked = (): boolean => run.now().heard.looks > state.looked;
  const isWoken = (): boolean => isReleased() || isAsked() || isDue(withNews(run, state));
  const pause = (nextAt ?? 0) - Date.now();
  await condition(() => isWoken() || run.isInterrupted(), Math.max(1, pause), {
    summary: cutLabel(`wait for credits, look again in ${formatDuration(pause)}`),
  });
  if (!isWoken()) {
    if (run.isInterrupted()) return state;
    return at(state, { ...stage, nextAt: undefined, looks: stage.looks + 1 });
  }
  return await goOn(state, run, isReleased() ? undefined : parkId);
}

async function lookAtBalance(state: State, stage: Parked, run: Run): Promise<State> {
  const { parkId, until, pace, looks, lowest: before, again, price } = stage;
  const pause = pauseBeforeBalance(pace, looks, ownRandom().random());
  const entering = entities.enterCreditGate({
    workspace: run.workspace,
    entry: {
      parkId,
      workflowId: run.workflowId,
      runId: run.runId,
      parkedSince: until - pace.window,
      pace,
      price,
      baseline: before,
      refused: again || undefined,
    },
    freshFor: Math.min(FRESH, pause / 2),
  });
  const { available } = await askEntity<{ available?: number }>(entering, () => ({}));
  // Where there is enough the gate wakes the run in its turn: it has the time until the next look to do so.
  const isEnough = looks > 0 && admitsSubmit({ available, lowest: before, price });
  if (isEnough && stage.isEnough) return await goOn(state, run, parkId);
  const lowest = available === undefined ? before : Math.min(before ?? available, available);
  return at(state, { ...stage, available, lowest, isEnough, nextAt: Math.min(Date.now() + pause, until) });
}

/** Submits. @param parkId absent: the gate has let it go */
export async function goOn(state: State, run: Run, parkId?: string): Promise<State> {
  if (parkId !== undefined) await leave(run, parkId);
  return { ...withNews(run, at(state, { at: 'submit' })), looked: run.now().heard.looks };
}

async function leave({ workspace }: Run, parkId: string): Promise<void> {
  await askEntity(entities.leaveCreditGate({ workspace, parkId }), () => undefined);
}
