import type { WithdrawalEnd } from '../../src/workflows/unclaimed-tasks/contract.ts';

export * from '../../src/activities/claims.ts';

/** Stands in for the claims of src/activities/claims.ts: nothing is looked for. */
export async function requestClaim(): Promise<void> {}

/** Nothing was found. */
export async function withdrawClaim(): Promise<WithdrawalEnd> {
  return { kind: 'gone' };
}
