import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { fieldDigests, withTemplate } from '../../api/input/field-digests.ts';
import { unclaimedLikeQuery } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from '../generation/check-submit.ts';
import { onTheWire } from './on-the-wire.ts';

/**
 * Tasks that this workflow may have bought: of the same input, they have shown themselves by their events, or a worker
 * has handed them over. `unclaimed-tasks` does not know of each whether a run holds it.
 *
 * @param since no task that is older counts, in milliseconds since the epoch
 * @throws the client's error while Temporal, or the entity's worker, cannot be reached
 */
export async function unclaimedLike(
  { temporal, taskQueue, normalized, models }: ActivityDeps,
  { workspace, model, input, templateId }: CheckedSubmit,
  since: number,
): Promise<string[]> {
  const shape = normalized.shapeOf(model);
  if (shape === undefined) return [];
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const fields = onTheWire(withTemplate(fieldDigests(input), templateId), models[model]);
  const entity = temporal.workflow.getHandle(entityId('unclaimed-tasks', workspace, taskQueue));
  try {
    return await entity.query(unclaimedLikeQuery, { workflowId, model, shape, fields, since });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}
