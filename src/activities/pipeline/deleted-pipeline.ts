import { Context } from '@temporalio/activity';
import { isRecord } from '../../api/json/is-record.ts';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { PipelineEnd } from '../../contract/activities.ts';
import type { PipelineRequest, PipelineResult } from '../../contract/pipeline.ts';
import type { ParentRun } from '../../contract/purchases/parent-run.ts';
import { differences, sharesStep } from '../../contract/purchases/same-purchase.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import type { ActivityDeps } from '../deps.ts';
import type { ChildRecord } from '../parents/child-records.ts';
import type { Likeness } from '../parents/earlier-children.ts';

const WHAT_NOW =
  'what it has bought is deleted, too, and nothing is bought again: to buy it anew, give it another id';

/**
 * How an earlier run of a pipeline ended that the server has deleted, as the histories of the workflow tell that has
 * started it as its child.
 *
 * @returns undefined where there was none, or where it had bought nothing
 */
export async function deletedPipeline(
  { children, temporal }: Pick<ActivityDeps, 'children' | 'temporal'>,
  parent: ParentRun,
  request: PipelineRequest,
): Promise<PipelineEnd | undefined> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  const likeness = ({ request: earlier }: ChildRecord): Likeness => {
    // Of one of which nobody has written down what it was started for, all may be the same.
    if (earlier === undefined) return 'in part';
    if (differences('pipeline', request, earlier).length === 0) return 'same';
    return sharesStep(request, earlier) ? 'in part' : 'different';
  };
  const told = await children.told(parent, { workflowId, runId, likeness });
  if (told === undefined) return undefined;
  if ('missing' in told) return unknown(`run ${told.missing} of ${parent.workflowId}, which is run again,`);
  // A run that is there, and what it has bought, is looked at as that of any pipeline.
  if (told.runId !== undefined && (await describeRun(temporal, workflowId, told.runId)) !== undefined)
    return undefined;
  const { end } = told;
  if (end === undefined || likeness(told) !== 'same') return unknown(`run ${told.runId ?? ''} of it`);
  if ('result' in end) return { result: { ...(end.result as PipelineResult), charged: NO_USAGE } }; // of a pipeline
  const { type, message, details } = end.failure;
  const account = isRecord(details) ? { ...details, charged: NO_USAGE } : null;
  return { failure: { type, message: `${message}; ${WHAT_NOW}`, details: account } };
}

function unknown(which: string): PipelineEnd {
  const message = `${which} is deleted, and nobody can tell what this pipeline has bought; ${WHAT_NOW}`;
  return { failure: { type: 'SUBMISSION_UNKNOWN', message, details: null } };
}
