import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { WithdrawalEnd } from '../../contract/entities/claims.ts';
import { CLOCK_TOLERANCE } from '../../contract/limits.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import { runsOf } from '../../temporal/visibility-query.ts';

/** Before visibility is asked again, in milliseconds. */
const ASK_AGAIN = 5_000;
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['TERMINATED', 'FAILED', 'CANCELLED', 'TIMED_OUT']);

interface Question {
  workspace: string;
  taskQueue: string;
  /** What the entity has heard since then must not be lost; in milliseconds since the epoch, by Temporal's clock. */
  since: number;
  /** When an earlier run than the one that asks had put in a claim for it. */
  claimedAt: number | undefined;
}

/**
 * Why `unclaimed-tasks/<workspace>` cannot tell whether a submit has bought a task: it was terminated, has failed or was
 * deleted since then, and what it kept is gone with it. By itself it ends only when it keeps nothing. A run that has put
 * in its claim itself knows a deletion by that; one that goes on for another has nothing but the record of the runs: where
 * it has none from the time of that one's claim, nobody can tell.
 *
 * @returns undefined where it can tell
 */
export async function lostEvidence(
  client: Client,
  { workspace, taskQueue, since, claimedAt }: Question,
): Promise<Extract<WithdrawalEnd, { kind: 'forgotten' | 'looking' }> | undefined> {
  const workflowId = entityId('unclaimed-tasks', workspace, taskQueue);
  const closed = `CloseTime >= '${new Date(since).toISOString()}'`;
  const query = `${runsOf(workflowId)} AND (CloseTime IS NULL OR ${closed})`;
  const runs: WorkflowExecutionInfo[] = [];
  try {
    for await (const run of client.workflow.list({ query }))
      if (run.workflowId === workflowId) runs.push(run);
  } catch {
    const why = `nobody can tell now whether ${workflowId} was ended from outside meanwhile`;
    return { kind: 'looking', wait: ASK_AGAIN, why, lasting: true };
  }
  const ended = runs.find(({ status }) => FROM_OUTSIDE.has(status.name));
  const lost = 'what it had heard of tasks is lost';
  if (ended !== undefined)
    return {
      kind: 'forgotten',
      why: `${workflowId} was ended from outside meanwhile (${ended.status.name}), and ${lost}`,
    };
  if (claimedAt === undefined || isWhole(runs, claimedAt)) return undefined;
  return {
    kind: 'forgotten',
    why: `there is no record of ${workflowId} from the time of the claim: it may have been deleted, and ${lost}`,
  };
}

/** Whether the record of its runs goes back to then, and each that has continued as new is followed by another one. */
function isWhole(runs: readonly WorkflowExecutionInfo[], by: number): boolean {
  const starts = runs.map(({ startTime }) => startTime.getTime());
  const isFollowed = ({ status, closeTime }: WorkflowExecutionInfo): boolean => {
    const at = closeTime?.getTime() ?? 0;
    if (status.name !== 'CONTINUED_AS_NEW' || at > Date.now() - CLOCK_TOLERANCE) return true;
    return starts.some((start) => Math.abs(start - at) < CLOCK_TOLERANCE);
  };
  return starts.some((start) => start <= by + CLOCK_TOLERANCE) && runs.every(isFollowed);
}
