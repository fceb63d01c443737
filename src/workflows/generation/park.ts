import { condition, uuid4, workflowInfo } from '@temporalio/workflow';
import { pollingInterval } from '../../policy/backoff.ts';
import type { Pace } from '../../policy/policy.ts';
import { formatDuration, gate, summary } from './activities.ts';
import { askEntity } from './ask-entity.ts';
import { isToContinue } from './continue.ts';
import type { Steps } from './generation.ts';

export interface Refusal {
  message: string;
  /** How often the balance is looked at, and for how long at most. */
  pace: Pace;
  /** Since when the run has been without credits, in milliseconds since the epoch. */
  parkedSince: number;
  /** Credits that a task costs, if an earlier attempt has shown it. */
  price: number | undefined;
  /** The balance at the refusal, if it could be read. */
  available?: number | undefined;
}

/** The run's own looks at the balance are so many times further apart than the gate's. */
const SLOWER = 4;
/** A balance that the worker has read so long ago is good enough for a look (milliseconds). */
const FRESH = 15_000;

/**
 * Waits for credits instead of failing. All parked generations of a workspace share one gate, which looks at the
 * balance once for all and wakes them in order; it makes things quick. The run looks for itself, too, on a growing
 * pause, and enters the gate again each time: one that was terminated, or had no room, does not know it. Ends early by
 * `checkNow`.
 *
 * @returns whether to submit again; false when the policy's window for it has passed
 */
export async function park(steps: Steps, refusal: Refusal): Promise<boolean> {
  const { run, inbox, evidence } = steps;
  const { pace, parkedSince, price } = refusal;
  const { workspace } = run;
  const { workflowId, runId } = workflowInfo();
  const parkId = uuid4(); // not the run's id: that changes in a Reset, and history must stay true
  const until = parkedSince + pace.window;
  if (until <= Date.now()) return false;
  const hasBeenReleased = parkedSince < Date.now();
  let lowest = refusal.available;
  let wasAdmitted = false;
  inbox.lookRequested = false;
  run.enter('parked', refusal.message);
  for (let looks = 0; Date.now() < until; looks += 1) {
    // The next submit is the new run's first step: if it is refused, that one parks.
    if (isToContinue()) {
      await askEntity(gate.leaveCreditGate({ workspace, parkId }), () => undefined);
      return true;
    }
    const pause = ownPause(pace, looks);
    const entering = gate.enterCreditGate({
      workspace,
      entry: {
        parkId,
        workflowId,
        runId,
        parkedSince,
        pace,
        ...(price === undefined ? {} : { price }),
        ...(lowest === undefined ? {} : { baseline: lowest }),
        ...(hasBeenReleased ? { refused: true } : {}),
      },
      freshFor: Math.min(FRESH, pause / 2),
    });
    const { available } = await askEntity<{ available?: number }>(entering, () => ({}));
    // Where there is enough the gate wakes the run in its turn: it has the time until the next look to do so.
    const isEnough = looks > 0 && admits({ available, lowest, price });
    const isAdmitted = isEnough && wasAdmitted;
    wasAdmitted = isEnough;
    if (available !== undefined) lowest = Math.min(lowest ?? available, available);
    const nextLook = Math.min(Date.now() + pause, until);
    run.tell(describe(refusal, available, nextLook));
    const isReleased = (): boolean => inbox.released.has(parkId);
    if (!isAdmitted) {
      await condition(
        () => isReleased() || inbox.lookRequested || evidence.isDue,
        Math.max(1, nextLook - Date.now()),
        {
          summary: summary(`wait for credits, look again in ${formatDuration(nextLook - Date.now())}`),
        },
      );
    }
    // A task that has come meanwhile is looked at before anything is bought.
    const isWoken = isAdmitted || isReleased() || inbox.lookRequested || evidence.isDue;
    if (!isWoken) continue;
    inbox.lookRequested = false;
    inbox.looks += 1;
    if (!isReleased()) await askEntity(gate.leaveCreditGate({ workspace, parkId }), () => undefined);
    return true;
  }
  await askEntity(gate.leaveCreditGate({ workspace, parkId }), () => undefined);
  return false;
}

/** Spread, so that many that were parked together do not look together. */
function ownPause({ initial, factor, max }: Pace, looks: number): number {
  const spread = 0.75 + 0.5 * Math.random();
  return Math.max(1, SLOWER * spread * pollingInterval({ first: initial, factor, max }, looks));
}

/** Whether a submit is worth trying: the balance covers a known price, or has grown where none is known. */
function admits({
  available,
  lowest,
  price,
}: {
  available: number | undefined;
  lowest: number | undefined;
  price: number | undefined;
}): boolean {
  if (available === undefined || available <= 0) return false;
  const hasGrown = lowest !== undefined && available > lowest;
  return price === undefined
    ? hasGrown
    : price <= available && (hasGrown || lowest === undefined || lowest < price);
}

function describe({ message, price }: Refusal, available: number | undefined, nextLook: number): string {
  const needs = price === undefined ? 'needs credits, how many is not known' : `needs ${price} credits`;
  const has = available === undefined ? 'the balance cannot be read now' : `${available} are available`;
  return `${message.replace(/\.$/, '')}; ${needs}, ${has}; looks again by ${new Date(nextLook).toISOString()}`;
}
