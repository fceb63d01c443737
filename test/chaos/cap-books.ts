import type { Cap } from '../../src/policy/caps.ts';
import { periodOf } from '../../src/policy/periods.ts';
import type { BilledTask } from '../../src/temporal/bill/run-bill.ts';
import type { Finding } from '../explore/rule.ts';
import type { LedgerCharge } from './emulator-control.ts';

const costOf = ({ credits, refund }: Billable): number => (refund === null ? credits : 0);

/** What charges cost in the end. */
export function priceOf(charges: readonly LedgerCharge[]): number {
  return charges.reduce((sum, charge) => sum + costOf(charge), 0);
}

/** Whether a workflow is that one, or below it. */
export function isOf(owner: string, workflow: string | null): boolean {
  return workflow === owner || workflow?.startsWith(`${owner}/`) === true;
}

/**
 * What stood charged at any time at most: nothing counts any more from when it was paid back.
 *
 * @param charges with times as both ledgers have them: ISO 8601, or milliseconds since the epoch
 */
export function mostAtOnce(
  charges: readonly { at: string | number; credits: number; refund: { at: string | number } | null }[],
): number {
  const changes = charges.flatMap(({ at, credits, refund }) => [
    { at: new Date(at), credits },
    ...(refund === null ? [] : [{ at: new Date(refund.at), credits: -credits }]),
  ]);
  let sum = 0;
  return changes
    .sort((a, b) => a.at.getTime() - b.at.getTime() || a.credits - b.credits)
    .reduce((most, { credits }) => {
      sum += credits;
      return Math.max(most, sum);
    }, 0);
}

/**
 * In each period no more was charged at any time than the cap admits, by the ledger's times.
 *
 * @param charges which the cap counts
 */
export function overCap({ name, per, credits }: Cap, charges: readonly LedgerCharge[]): Finding[] {
  const periods = Map.groupBy(charges, ({ at }) => periodOf(per, Date.parse(at)));
  return [...periods].flatMap(([period, some]) => {
    const spent = mostAtOnce(some);
    return spent <= credits
      ? []
      : [{ workflowId: `cap ${name}`, what: `${spent} credits in ${period}, and it admits ${credits}` }];
  });
}

/** What a workflow and all below it were charged was within its budget at any time. */
export function overBudget(
  budgets: ReadonlyMap<string, number>,
  charges: readonly LedgerCharge[],
): Finding[] {
  return [...budgets].flatMap(([id, credits]) => {
    const spent = mostAtOnce(charges.filter(({ workflow }) => isOf(id, workflow)));
    return spent <= credits
      ? []
      : [{ workflowId: id, what: `${spent} credits, with a budget of ${credits}` }];
  });
}

/** A charge as a bill is compared with it. */
type Billable = Pick<LedgerCharge, 'taskId' | 'workflow' | 'credits'> & { refund: object | null };

/**
 * The bill has each charge once, to the credit.
 *
 * @param known the tasks that a run of Darkroom's has written down, with prices that it could know: of others nobody can tell
 */
export function unlikeLedger(
  bill: readonly BilledTask[],
  charges: readonly Billable[],
  known: ReadonlySet<string>,
): Finding[] {
  const billed = new Map(bill.map((task) => [task.taskId, task]));
  const charged = new Set(charges.map(({ taskId }) => taskId));
  const foreign = bill.filter(({ taskId }) => !charged.has(taskId));
  return [
    ...foreign.map(({ taskId, workflowId }) => ({
      workflowId,
      what: `the bill has task ${taskId}, which is not in the ledger`,
    })),
    ...charges.flatMap((charge) => {
      const { taskId, workflow } = charge;
      if (!known.has(taskId)) return [];
      const task = billed.get(taskId);
      const workflowId = workflow ?? '';
      if (task === undefined) return [{ workflowId, what: `the bill lacks task ${taskId}` }];
      const said = task.credits - task.refunded;
      return said === costOf(charge)
        ? []
        : [{ workflowId, what: `the bill says ${said} for task ${taskId}, the ledger ${costOf(charge)}` }];
    }),
  ];
}
