import type { WithdrawalEnd } from '../../src/contract/unclaimed-tasks.ts';

export * from '../../src/activities/unclaimed-tasks/claims.ts';

/** Stands in for the claims of src/activities/unclaimed-tasks/claims.ts: nothing is looked for. */
export async function requestClaim(): Promise<void> {}

/** Nothing was found. */
export async function withdrawClaim(): Promise<WithdrawalEnd> {
  return { kind: 'gone' };
}
