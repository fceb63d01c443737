import type { CreditsFrom, EndOf, Holder } from './account.ts';

const ENDS: Readonly<Record<CreditsFrom, string>> = {
  submit: 'submits under way',
  doubt: 'submits of which nobody can tell yet whether they have bought a task',
  task: 'tasks that have not ended',
  part: 'rows that run',
};

/** Who pays by a budget, in words. */
export function budgetInWords(workflowId: string, credits: number): string {
  return `the budget of ${workflowId}, ${credits} credits,`;
}

/** Why credits are not to be had now, and what can be done about it, in words. */
export function reservedInWords(payer: string, { from, holders }: EndOf<'busy'>): string {
  return `what is left of ${payer} is reserved for ${ENDS[from]}. ${holdersInWords(holders)}`;
}

/** Why credits are not to be had, and what can be done about it, in words. */
export function refusedInWords(payer: string, { spent, reserved, price, holders }: EndOf<'refused'>): string {
  const costs = price === null ? 'nobody knows what it will cost' : `it may cost ${price}`;
  const sums = `${spent} are spent, ${reserved} reserved, and ${costs}`;
  return `${payer} does not admit it: ${sums}. ${holdersInWords(holders)}`;
}

/** Who holds what is reserved, and what can be done about it, in words. */
export function holdersInWords(holders: readonly Holder[]): string {
  if (holders.length === 0) return 'Raise the limit';
  const each = holders.map(
    ({ workflowId, credits, isUnknown }) =>
      `${credits} for ${workflowId}${isUnknown ? ' (outcome unknown)' : ''}`,
  );
  const isLost = holders.some(({ isUnknown }) => isUnknown);
  const first = isLost
    ? 'Settle the unknown one first (decide while it asks, else rerun it)'
    : 'Wait for their end';
  return `Reserved are ${each.join(', ')}. ${first}, or raise the limit`;
}

/** Why nobody can tell whether they are to be had, in words. */
export function unansweredInWords(payer: string): string {
  return `the account of ${payer} does not answer`;
}
