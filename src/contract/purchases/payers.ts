import type { Mistake } from '../../api/input/mistakes.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { LONGEST_WORKFLOW_ID, MOST_NUMBER } from '../limits.ts';

/** A budget that a purchase is counted in beside its own: of the pipeline or batch that it is a part of. */
export interface BudgetAbove {
  workflowId: string;
  credits: number;
}

/** A step of a pipeline of a batch has two. */
const MOST_ABOVE = 4;

/** What a part of a workflow with a budget is given: the budgets above that one, and its own. */
export function budgetsBelow(
  workflowId: string,
  { budget, budgetsAbove = [] }: { budget?: { credits: number }; budgetsAbove?: BudgetAbove[] },
): { budgetsAbove?: BudgetAbove[] } {
  const all = [...budgetsAbove, ...(budget === undefined ? [] : [{ workflowId, credits: budget.credits }])];
  return all.length === 0 ? {} : { budgetsAbove: all };
}

/** The workflows whose budgets pay for what a generation buys. @param request which may not have been checked */
export function paidBy(
  workflowId: string,
  { policy, budgetsAbove }: { policy?: unknown; budgetsAbove?: unknown },
): string[] {
  const isOwn = isRecord(policy) && isRecord(policy['budget']);
  const above: unknown[] = Array.isArray(budgetsAbove) ? budgetsAbove : [];
  return [...(isOwn ? [workflowId] : []), ...above.filter(isBudget).map((budget) => budget.workflowId)];
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

function isBudget(value: unknown): value is BudgetAbove {
  if (!isRecord(value)) return false;
  const { workflowId, credits, ...rest } = value;
  return (
    typeof workflowId === 'string' &&
    workflowId !== '' &&
    workflowId.length <= LONGEST_WORKFLOW_ID &&
    typeof credits === 'number' &&
    credits >= 0 &&
    credits <= MOST_NUMBER &&
    Object.keys(rest).length === 0
  );
}
