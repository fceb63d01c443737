import type { Mistake } from '../../api/input/mistakes.ts';
import { given } from '../../api/json/given.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { LONGEST_WORKFLOW_ID, MOST_NUMBER } from '../limits.ts';

/** A budget that a purchase is counted in beside its own: of the pipeline or batch that it is a part of. */
export interface BudgetAbove {
  /** Whose account it is. */
  workflowId: string;
  credits: number;
  /**
   * When the run began that says so, in milliseconds since the epoch: what a later one has said of this budget holds for
   * what was started before, too.
   */
  since?: number;
  /** The run's workflow, where it is not the account's own: the account is there as long as either. */
  by?: string;
  /** It only counts: a person has given the purchase another budget. */
  mayBePassed?: true;
}

/** A budget as a request has it. */
export interface Budget {
  credits: number;
  /** The workflow whose account it is, where that is not its own: a rerun goes on with its first run's. */
  of?: string;
  /** When that was said, where it was before the run began: see `BudgetAbove`. */
  since?: number;
}

/** A step of a pipeline of a batch has two. */
const MOST_ABOVE = 4;
export const MOST_PAYERS = 1 + MOST_ABOVE;

/** What a part of a workflow with a budget is given: the budgets above that one, and its own. @param startedAt of the run */
export function budgetsBelow(
  { workflowId, startedAt }: { workflowId: string; startedAt: number },
  { budget, budgetsAbove = [] }: { budget?: Budget; budgetsAbove?: BudgetAbove[] },
): { budgetsAbove?: BudgetAbove[] } {
  if (budget === undefined) return budgetsAbove.length === 0 ? {} : { budgetsAbove };
  const { credits, of = workflowId } = budget;
  const since = Math.min(budget.since ?? startedAt, startedAt);
  const by = of === workflowId ? undefined : workflowId;
  return { budgetsAbove: [...budgetsAbove, { workflowId: of, credits, since, ...given({ by }) }] };
}

/** What the purchases of a generation are counted in: its own budget, and those above it. */
export interface Paid {
  payers?: BudgetAbove[];
}

export function payersOf(
  workflowId: string,
  own: Budget | undefined,
  { budgetsAbove = [] }: { budgetsAbove?: BudgetAbove[] },
): Paid {
  const payers = own === undefined ? budgetsAbove : [{ workflowId, credits: own.credits }, ...budgetsAbove];
  return payers.length === 0 ? {} : { payers };
}

/** The workflows whose budgets those are. */
export function paidBy({ payers = [] }: Paid): string[] {
  return payers.map(({ workflowId }) => workflowId);
}

/** Of a request: Darkroom's own workflows write it, and anybody can. */
export function checkBudgetsAbove(budgets: unknown): Mistake[] {
  if (
    budgets === undefined ||
    (Array.isArray(budgets) && budgets.length <= MOST_ABOVE && budgets.every(isBudget))
  )
    return [];
  return [
    { path: 'budgetsAbove', message: 'must be a list of { workflowId, credits }, as a pipeline gives it' },
  ];
}

const isId = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_WORKFLOW_ID;
const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= MOST_NUMBER;

function isBudget(value: unknown): value is BudgetAbove {
  if (!isRecord(value)) return false;
  const { workflowId, credits, since = 0, by = workflowId, mayBePassed = true, ...rest } = value;
  return (
    isId(workflowId) &&
    isId(by) &&
    isAmount(credits) &&
    isAmount(since) &&
    mayBePassed === true &&
    Object.keys(rest).length === 0
  );
}
