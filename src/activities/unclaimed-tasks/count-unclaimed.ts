import { WorkflowNotFoundError } from '@temporalio/client';
import { fieldDigests, withTemplate } from '../../api/input/field-digests.ts';
import { unclaimedLikeQuery } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from '../generation/check-submit.ts';
import { onTheWire } from './on-the-wire.ts';

/**
 * How many tasks of the same input have shown themselves by their events and are held by nobody.
 *
 * @param since no task that is older counts, in milliseconds since the epoch
 * @throws the client's error while Temporal, or the entity's worker, cannot be reached
 */
export async function countUnclaimed(
  { temporal, taskQueue, normalized, models }: ActivityDeps,
  { workspace, model, input, templateId }: CheckedSubmit,
  since: number,
): Promise<number> {
  const shape = normalized.shapeOf(model);
  if (shape === undefined) return 0;
  const fields = onTheWire(withTemplate(fieldDigests(input), templateId), models[model]);
  const entity = temporal.workflow.getHandle(entityId('unclaimed-tasks', workspace, taskQueue));
  try {
    return await entity.query(unclaimedLikeQuery, { model, shape, fields, since });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 0;
    throw error;
  }
}
