import type { Client } from '@temporalio/client';
import type { ClaimCheck, ClaimRun } from '../../contract/activities.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { goesOn } from '../goes-on.ts';

/**
 * Which of the claims have lost their run: it has closed, or its history is deleted. Where a Reset has put another
 * run of the same purchase in its place, the claim is that one's; a workflow id that was started anew is another
 * purchase.
 *
 * @returns nothing of the claims whose runs are open as they were
 */
export async function checkClaims(client: Client, claims: readonly ClaimRun[]): Promise<ClaimCheck[]> {
  const checks: ClaimCheck[] = [];
  for (const { claimId, workflowId, firstRunId, runId } of claims) {
    goesOn();
    const latest = await describeRun(client, workflowId);
    if (latest === undefined || latest.closeTime !== undefined) checks.push({ claimId, run: 'closed' });
    else if (latest.runId !== runId) {
      const isSame = latest.raw.workflowExecutionInfo?.firstRunId === firstRunId;
      checks.push({ claimId, run: isSame ? { runId: latest.runId } : 'closed' });
    }
  }
  return checks;
}
