import { ApplicationFailure } from '@temporalio/common';
import { UNREADABLE } from '../../contract/tasks/submit-task.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from '../generation/check-submit.ts';
import { lostEvidence } from './lost-evidence.ts';

/**
 * Why a run that has given up a submit would not be told any more that this one has bought a task after all:
 * `unclaimed-tasks/<workspace>` was ended from outside since, and its memory of the claim is gone. To be asked before each
 * further request is sent.
 *
 * @returns undefined where it would be told, or has given up none
 * @throws a retryable ApplicationFailure while that cannot be told
 */
export async function whyForgotten(
  { temporal, taskQueue }: Pick<ActivityDeps, 'temporal' | 'taskQueue'>,
  { workspace, gaveUpAt }: Pick<CheckedSubmit, 'workspace' | 'gaveUpAt'>,
): Promise<string | undefined> {
  if (gaveUpAt === undefined) return undefined;
  // What had ended by then was known when it was given up.
  const lost = await lostEvidence(temporal, { workspace, taskQueue, since: gaveUpAt, claimedAt: undefined });
  if (lost?.kind !== 'looking') return lost?.why;
  throw ApplicationFailure.create({
    type: UNREADABLE,
    message: lost.why,
    nextRetryDelay: lost.wait,
  });
}
