import {
  condition,
  getExternalWorkflowHandle,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { BalanceReport, DarkroomActivities } from '../../contract/activities.ts';
import { type CreditGateState, readParked, readParkId } from '../../contract/entities/credit-gate.ts';
import {
  creditsReleasedSignal,
  leftSignal,
  parkedSignal,
  submitAcceptedSignal,
} from '../../contract/messages.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { goOn, isLong } from '../go-on.ts';
import { keepOrder } from '../in-order.ts';
import { GateQueue, type Parked } from './gate-queue.ts';
import { readState } from './read-state.ts';

const MAX_HISTORY = 8_000;
/** After a release the next one follows this soon, at most (milliseconds). */
const FOLLOW_UP = 2_000;
/** A minute where nobody has said how often to look (milliseconds). */
const PACE = { initial: 60_000, factor: 1, max: 60_000 };
/** So many of those at the head are looked after where nobody can be woken: they are the ones that hold up the others. */
const LOOKED_AFTER = 20;
const SHOWN = 50;

const local = proxyLocalActivities<Pick<DarkroomActivities, 'getBalance' | 'closedRuns'>>({
  startToCloseTimeout: '20 seconds',
});

/**
 * Entity workflow `credit-gate/<workspace>`: all parked generations of a workspace in one queue, and one look at the
 * balance for them all; it wakes them in order. It only makes things quick: each of them looks for itself, too, and
 * comes back where the gate does not know it. Ends when nobody waits.
 */
export async function creditGate(asked: CreditGateState): Promise<void> {
  const order = keepOrder();
  const state = readState(asked);
  const { workspace } = state;
  const queue = new GateQueue(state.entries, state.pace);
  let looks = 0;
  let news = 0;
  setHandler(parkedSignal, (entry: unknown) => {
    const read = readParked(entry, Date.now());
    if (read === undefined) return;
    queue.park(read);
    news += 1;
  });
  setHandler(leftSignal, (parkId: unknown) => queue.leave(readParkId(parkId) ?? ''));
  setHandler(submitAcceptedSignal, () => {
    queue.open();
    news += 1;
  });

  while (queue.size > 0) {
    const seen = news;
    const report = await local.getBalance({ workspace });
    const woken = report.kind === 'balance' ? queue.release(report.available, Date.now()) : [];
    if (woken.length > 0) await wake(woken);
    else await dropClosed(queue);
    looks = woken.length > 0 ? 0 : looks + 1;
    setCurrentDetails(describe(queue, report));
    if (queue.size === 0) return;
    if (isLong(MAX_HISTORY)) {
      order.hearAll();
      await goOn<typeof creditGate>(carryOver(workspace, queue));
    }
    const { initial, factor, max } = queue.pace ?? PACE;
    const pause = pollingInterval({ first: initial, factor, max }, looks);
    const mayFollow = queue.isOpen || woken.length > 0;
    // A newcomer is looked at soon, so that its baseline is the balance it was refused at.
    await condition(() => news > seen || queue.size === 0, mayFollow ? Math.min(pause, FOLLOW_UP) : pause, {
      summary: 'next look at the balance',
    });
  }
}

/** Whichever run is the current one: a Reset goes on with the same parking. A closed one needs no waking. */
async function wake(woken: readonly Parked[]): Promise<void> {
  const signals = woken.map(({ workflowId, parkId }) =>
    getExternalWorkflowHandle(workflowId).signal(creditsReleasedSignal, { parkId }),
  );
  await Promise.allSettled(signals);
}

/** A run that was terminated while it waited cannot say so. */
async function dropClosed(queue: GateQueue): Promise<void> {
  const heads = queue.parked().slice(0, LOOKED_AFTER);
  if (heads.length === 0) return;
  const closed = await local.closedRuns(heads.map(({ workflowId, runId }) => ({ workflowId, runId })));
  // Meanwhile a Reset's run may have parked under the same id.
  const parked = new Set(queue.parked());
  for (const index of closed) {
    const head = heads[index];
    if (head !== undefined && parked.has(head)) queue.leave(head.parkId);
  }
}

function carryOver(workspace: string, queue: GateQueue): CreditGateState {
  const entries = queue.entries();
  return {
    workspace,
    entries,
    ...(queue.pace === undefined ? {} : { pace: queue.pace }),
  };
}

function describe(queue: GateQueue, report: BalanceReport): string {
  const balance = report.kind === 'balance' ? `${report.available} credits available` : report.reason;
  const lines = [`${queue.size} generation(s) wait for credits; ${balance}`, ''];
  for (const { workflowId, price } of queue.parked().slice(0, SHOWN)) {
    lines.push(`- \`${workflowId.slice(0, 255)}\`${price === null ? '' : `, ${price} credits`}`);
  }
  return lines.join('\n');
}
