import { workflowInfo } from '@temporalio/workflow';
import { PARENT_MEMO, type ParentRun, STARTED_AGAIN } from '../contract/purchases/parent-run.ts';

/** The memo for each child: by it the child knows whether its parent runs again, be it Reset to whatever point. */
export function parentMemo(isStartedAgain = false): Record<string, string> {
  return { [PARENT_MEMO]: isStartedAgain ? STARTED_AGAIN : workflowInfo().firstExecutionRunId };
}

/**
 * Whom to ask what earlier children of this id have come to.
 *
 * @param isNamed whether the parent has named an earlier run of this id: then it knows of it, whether it runs again or not
 */
export function parentRun(isNamed = false): ParentRun | undefined {
  const { parent, memo } = workflowInfo();
  const first: unknown = memo?.[PARENT_MEMO];
  if (parent === undefined || typeof first !== 'string') return undefined;
  const { workflowId, runId } = parent;
  if (first === runId && !isNamed) return undefined;
  return { workflowId, runId, ...(first === STARTED_AGAIN ? { again: true } : {}) };
}
