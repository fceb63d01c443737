import type { SubmitOutcome } from '../../api/client/submit-outcome.ts';
import type { Policy } from '../../policy/policy.ts';
import type { ActivityDeps } from '../deps.ts';
import type { Submitting } from '../submit-pace/submit-pacing.ts';

/** Submits in the turn that was taken, and tells the workspace's pace what came of it. */
export async function submitInTurn(
  took: Submitting,
  retries: Policy['retries'],
  post: () => Promise<SubmitOutcome>,
): Promise<SubmitOutcome> {
  try {
    const outcome = await post();
    if (outcome.kind === 'accepted') took.accepted();
    if (outcome.kind === 'unknown') took.unanswered();
    if (outcome.kind === 'rejected' && outcome.row !== undefined && retries[outcome.row].slowsWorkspace)
      took.refused(outcome.retryAfter);
    return outcome;
  } finally {
    took.end();
  }
}

/** Refusals that say that the API is away, or does not take its caller; any other shows that it works. */
const TROUBLES: ReadonlySet<string> = new Set([
  'PROVIDER_UNAVAILABLE',
  'UNAUTHORIZED',
  'WORKSPACE_FORBIDDEN',
]);

/** Tells whether the API takes submits. */
export function tellTrouble(
  { troubles }: Pick<ActivityDeps, 'troubles'>,
  workspace: string,
  outcome: SubmitOutcome,
  who: string,
): void {
  if (outcome.kind === 'unknown') troubles.failed('submits', { workspace, reason: outcome.reason });
  else if (outcome.kind === 'rejected' && TROUBLES.has(outcome.row ?? outcome.code))
    troubles.failed('submits', { workspace, code: outcome.code, reason: outcome.message, who });
  else troubles.worked('submits', workspace, who);
}
