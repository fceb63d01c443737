import { workflowInfo } from '@temporalio/workflow';
import {
  PARENT_MEMO,
  type ParentRun,
  PERHAPS_AGAIN,
  STARTED_AGAIN,
} from '../contract/purchases/parent-run.ts';

/**
 * The memo for each child: by it the child knows whether its parent runs again, be it Reset to whatever point.
 *
 * @param isStartedAgain absent: nobody knows
 */
export function parentMemo(isStartedAgain: boolean | undefined): Record<string, string> {
  const { firstExecutionRunId } = workflowInfo();
  const told = isStartedAgain === true ? STARTED_AGAIN : firstExecutionRunId;
  return { [PARENT_MEMO]: isStartedAgain === undefined ? PERHAPS_AGAIN : told };
}

const AGAIN: Readonly<Record<string, ParentRun['again']>> = {
  [STARTED_AGAIN]: true,
  [PERHAPS_AGAIN]: 'perhaps',
};

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
  const again = AGAIN[first];
  return { workflowId, runId, ...(again === undefined ? {} : { again }) };
}
