import { proxySinks } from '@temporalio/workflow';
import type { DarkroomSinks } from '../../contract/sinks.ts';
import { heldTask } from './attempts.ts';
import { needOf } from './projections.ts';
import type { Run, State } from './state.ts';

const { counts } = proxySinks<DarkroomSinks>();

/**
 * Tells the metrics what has happened between two states. Each fact has a name, by which it counts once: where a
 * workflow task is run again, because something has come meanwhile, its changes may have other numbers.
 *
 * @param change its number in the run
 */
export function count(
  { request: { model }, workspace }: Run,
  before: State,
  after: State,
  change: number,
): void {
  const was = heldTask(before);
  const is = heldTask(after);
  if (is?.adopted === true && is.taskId !== was?.taskId) counts.adopted(`adopted ${is.taskId}`, model);
  if (needOf(after) === 'needs a decision' && needOf(before) !== 'needs a decision')
    counts.asked(`asked ${change}`, model);
  for (const [claimId, { usage }] of after.heard.proofs.filter((one) => !before.heard.proofs.includes(one)))
    counts.charged(`charged ${claimId}`, { model, workspace, credits: usage.total });
  for (const [at, { taskId, adopted, usage, ...ended }] of after.attempts.entries()) {
    if (at < before.attempts.length) continue;
    // The attempts of a deleted run were counted there.
    if (taskId !== null && taskId !== was?.taskId) continue;
    // So was what an earlier run has bought.
    const credits = adopted && after.isRerun ? 0 : usage.total;
    const lasted = taskId === null || was?.heldAt === undefined ? null : Date.now() - was.heldAt;
    counts.attempted(`attempt ${at}`, { model, workspace, ...ended, credits, lasted });
  }
}
