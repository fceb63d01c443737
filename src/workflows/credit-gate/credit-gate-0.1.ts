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
import {
  type CreditGateState,
  GATE_REVISION,
  type GateEntry,
  type ParkedGeneration,
  readParked,
  readParkId,
} from '../../contract/credit-gate.ts';
import { creditsReleasedSignal, leftSignal, parkedSignal } from '../../contract/messages.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { GateQueue01 } from './gate-queue-0.1.ts';

const MAX_HISTORY = 8_000;
/** After a release the next one follows this soon, at most (milliseconds). */
const FOLLOW_UP = 2_000;

const { getBalance } = proxyLocalActivities<Pick<DarkroomActivities, 'getBalance'>>({
  startToCloseTimeout: '20 seconds',
});

/**
 * The credit gate as release 0.1 ran it, command by command: gates that it has started go on so until they end or
 * continue as new. Nothing here may change which commands are made, or their order.
 */
export async function creditGate01(state: CreditGateState): Promise<void> {
  const queue = new GateQueue01(state.queue);
  let checks = 0;
  let parked = 0;
  setHandler(parkedSignal, (entry: unknown) => {
    const read = readParked(entry, Date.now());
    if (read === undefined) return;
    queue.park(read);
    parked += 1;
  });
  setHandler(leftSignal, (parkId: unknown) => queue.leave(readParkId(parkId) ?? ''));

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
      await continueAsNew<typeof creditGate01>({
        workspace: state.workspace,
        revision: GATE_REVISION,
        entries: queue.entries().map(toEntry),
      });
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

function toEntry({ workflowId, parkId, parkedSince, price, baseline, refused }: ParkedGeneration): GateEntry {
  return [workflowId, parkId, null, parkedSince, price ?? null, baseline ?? null, refused === true ? 1 : 0];
}

function describe(queue: GateQueue01, report: BalanceReport): string {
  const balance = report.kind === 'balance' ? `${report.available} credits available` : report.reason;
  const lines = [`${queue.size} generation(s) wait for credits; ${balance}`, ''];
  for (const { workflowId, price } of queue.entries().slice(0, 50)) {
    lines.push(`- \`${workflowId}\`${price === undefined ? '' : `, ${price} credits`}`);
  }
  return lines.join('\n');
}
