import type { Cap } from '../../src/policy/caps.ts';
import { periodEnd, periodOf } from '../../src/policy/periods.ts';
import type { BilledTask } from '../../src/temporal/bill/run-bill.ts';
import type { Finding } from '../explore/rule.ts';
import type { LedgerCharge } from './emulator-control.ts';

const costOf = ({ credits, refund }: Billable): number => (refund === null ? credits : 0);

/**
 * By the end of each period no more was charged than the cap admits in all periods until then. A charge may come a
 * period after it was reserved, where its answer was long on its way.
 *
 * @param charges which the cap counts
 */
export function overCap({ name, per, credits }: Cap, charges: readonly LedgerCharge[]): Finding[] {
  const times = charges.map(({ at }) => Date.parse(at)).sort((a, b) => a - b);
  const [first] = times;
  if (first === undefined) return [];
  const found: Finding[] = [];
  let admitted = 0;
  for (let begin: number | null = first; begin !== null && begin <= (times.at(-1) ?? 0); ) {
    const end = periodEnd(per, begin);
    admitted += credits;
    const until = charges.filter(({ at }) => Date.parse(at) < (end ?? Infinity));
    const spent = until.reduce((sum, charge) => sum + costOf(charge), 0);
    if (spent > admitted)
      found.push({
        workflowId: `cap ${name}`,
        what: `${spent} credits by the end of ${periodOf(per, begin)}, and it admits ${admitted}`,
      });
    begin = end;
  }
  return found;
}

/** What a workflow and all below it were charged is within its budget. */
export function overBudget(
  budgets: ReadonlyMap<string, number>,
  charges: readonly LedgerCharge[],
): Finding[] {
  return [...budgets].flatMap(([id, credits]) => {
    const own = charges.filter(({ workflow }) => workflow === id || workflow?.startsWith(`${id}/`) === true);
    const spent = own.reduce((sum, charge) => sum + costOf(charge), 0);
    return spent <= credits
      ? []
      : [{ workflowId: id, what: `${spent} credits, with a budget of ${credits}` }];
  });
}

/** A charge as a bill is compared with it. */
type Billable = Pick<LedgerCharge, 'taskId' | 'workflow' | 'credits' | 'refund'>;

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
