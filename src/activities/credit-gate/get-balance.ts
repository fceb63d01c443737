import type { BalanceReport } from '../../contract/activities.ts';
import { LOCAL_TIMEOUT } from '../../contract/limits.ts';
import type { ApiAccess } from '../api-access.ts';

/** One GET of the balance; a local activity. Never throws. */
export async function getBalance(
  deps: ApiAccess,
  { workspace }: { workspace: string },
): Promise<BalanceReport> {
  const access = deps.workspaces.get(workspace);
  if (access === undefined) {
    return { kind: 'unavailable', reason: `workspace ${workspace} is not configured on this worker` };
  }
  const answer = await deps.api.getCredits(access, LOCAL_TIMEOUT);
  return answer.kind === 'credits'
    ? { kind: 'balance', available: answer.credits.available }
    : { kind: 'unavailable', reason: answer.reason };
}
