import type { Charge } from '../accounts/ledger.ts';
import type { Service } from '../service.ts';

export interface Totals {
  charges: number;
  credits: number;
  refunds: number;
  refundedCredits: number;
}

interface WorkflowUsage extends Totals {
  workflow: string;
  /** Purchases though the task that this workflow had bought before did not fail and was not canceled. */
  boughtAgain: number;
  /** Of its latest purchase. */
  at: string;
}

interface ChargeList extends Totals {
  /** Newest first. */
  latest: ReturnType<typeof taskOfCharge>[];
}

/** The ledger at a glance, however many charges it holds. */
export interface LedgerSummary {
  totals: Totals;
  /** Dearest first. */
  models: (Totals & { model: string })[];
  workspaces: (Totals & { workspace: string })[];
  /** Newest first, those whose id holds the searched text. */
  workflows: { count: number; boughtAgain: number; latest: WorkflowUsage[] };
  /** Tasks whose answer did not leave whole: who sent the submit may not know of them. */
  unanswered: ChargeList;
  /** Tasks that nobody owns: no workflow was named. */
  unowned: ChargeList;
}

/** @param limit how many entries each list has at most */
export function summarizeLedger(
  service: Service,
  { limit, search }: { limit: number; search: string },
): LedgerSummary {
  const charges = service.ledger.charges();
  const newest = charges.toReversed();
  const list = (some: Charge[]): ChargeList => ({
    ...totals(some),
    latest: some.slice(0, limit).map((charge) => taskOfCharge(service, charge)),
  });
  const owned = newest.filter(({ workflow }) => workflow !== null);
  const byWorkflow = Map.groupBy(owned, ({ workflow }) => workflow ?? '');
  const found = [...byWorkflow].filter(([workflow]) => workflow.includes(search));
  return {
    totals: totals(charges),
    models: grouped(charges, ({ model }) => model).map(([model, sums]) => ({ model, ...sums })),
    workspaces: grouped(charges, ({ workspace }) => workspace).map(([workspace, sums]) => ({
      workspace,
      ...sums,
    })),
    workflows: {
      count: found.length,
      boughtAgain: boughtAgain(charges),
      latest: found.slice(0, limit).map(([workflow, list]) => ({
        workflow,
        ...totals(list),
        boughtAgain: boughtAgain(list),
        at: iso(list[0]?.at),
      })),
    },
    unanswered: list(newest.filter(({ answered }) => !answered)),
    unowned: list(newest.filter(({ workflow }) => workflow === null)),
  };
}

export function totals(charges: readonly Charge[]): Totals {
  const sums = { charges: charges.length, credits: 0, refunds: 0, refundedCredits: 0 };
  for (const { credits, refund } of charges) {
    sums.credits += credits;
    if (refund === null) continue;
    sums.refunds += 1;
    sums.refundedCredits += refund.credits;
  }
  return sums;
}

/** A charge with what became of its task; null where the task is forgotten. */
export function taskOfCharge(
  service: Service,
  { taskId, model, workspace, workflow, credits, answered, at }: Charge,
) {
  const status = service.tasks.get(taskId)?.status ?? null;
  return { taskId, model, workspace, workflow, status, credits, answered, at: iso(at) };
}

function grouped(charges: readonly Charge[], key: (charge: Charge) => string): [string, Totals][] {
  return [...Map.groupBy(charges, key)]
    .map(([name, list]): [string, Totals] => [name, totals(list)])
    .toSorted(([, a], [, b]) => b.credits - a.credits);
}

function boughtAgain(charges: readonly Charge[]): number {
  return charges.filter((charge) => charge.boughtAgain).length;
}

function iso(time = 0): string {
  return new Date(time).toISOString();
}
