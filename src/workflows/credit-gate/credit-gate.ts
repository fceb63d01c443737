import {
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { BalanceReport, DarkroomActivities } from '../../contract/activities.ts';
import type { CreditGateState } from '../../contract/credit-gate.ts';
import { creditsReleasedSignal, leftSignal, parkedSignal } from '../../contract/messages.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { GateQueue } from './gate-queue.ts';

const MAX_HISTORY = 8_000;
/** After a release the next one follows this soon, at most (milliseconds). */
const FOLLOW_UP = 2_000;

const { getBalance } = proxyLocalActivities<Pick<DarkroomActivities, 'getBalance'>>({
  startToCloseTimeout: '20 seconds',
});

/**
 * Entity workflow `credit-gate/<workspace>`: all parked generations of a workspace in one queue, and one poll of
 * the balance for them all; it wakes them in order. Ends when nobody waits.
 */
export async function creditGate(state: CreditGateState): Promise<void> {
  const queue = new GateQueue(state.queue);
  let checks = 0;
  let parked = 0;
  setHandler(parkedSignal, (entry) => {
    queue.park(entry);
    parked += 1;
  });
  setHandler(leftSignal, (parkId) => queue.leave(parkId));

  while (queue.size > 0) {
    const seen = parked;
    const report = await getBalance({ workspace: state.workspace });
    const woken = report.kind === 'balance' ? queue.release(report.available) : [];
    for (const { workflowId, parkId } of woken) {
      // Whichever run is the current one: a Reset goes on with the same parking. A closed one needs no waking.
      await getExternalWorkflowHandle(workflowId)
        .signal(creditsReleasedSignal, { parkId })
        .catch(() => undefined);
    }
    checks = woken.length > 0 ? 0 : checks + 1;
    setCurrentDetails(describe(queue, report));
    if (queue.size === 0) return;
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (continueAsNewSuggested || historyLength > MAX_HISTORY) {
      await continueAsNew<typeof creditGate>({ workspace: state.workspace, queue: queue.entries() });
    }
    // A newcomer is looked at soon, so that its baseline is the balance it was refused at.
    await condition(() => parked > seen || queue.size === 0, pause(), {
      summary: 'next look at the balance',
    });
  }

  function pause(): number {
    const byPace = queue
      .entries()
      .map(({ pace }) =>
        pollingInterval({ first: pace.initial, factor: pace.factor, max: pace.max }, checks),
      );
    return Math.min(...byPace, queue.isOpen ? FOLLOW_UP : Infinity);
  }
}

function describe(queue: GateQueue, report: BalanceReport): string {
  const balance = report.kind === 'balance' ? `${report.available} credits available` : report.reason;
  const lines = [`${queue.size} generation(s) wait for credits; ${balance}`, ''];
  for (const { workflowId, price } of queue.entries().slice(0, 50)) {
    lines.push(`- \`${workflowId}\`${price === undefined ? '' : `, ${price} credits`}`);
  }
  return lines.join('\n');
}
