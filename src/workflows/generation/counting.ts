import { proxySinks } from '@temporalio/workflow';
import type { DarkroomSinks } from '../../contract/sinks.ts';
import { heldTask } from './attempts.ts';
import { needOf } from './projections.ts';
import type { Run, State } from './state.ts';

const { counts } = proxySinks<DarkroomSinks>();

/** More than one change can tell. */
const MOST = 1_000;

/** Tells the metrics what has happened between two states. @param change its number, by which it counts once */
export function count(
  { request: { model }, workspace }: Run,
  before: State,
  after: State,
  change: number,
): void {
  let number = change * MOST;
  const next = (): number => number++;
  const was = heldTask(before);
  const is = heldTask(after);
  if (is?.adopted === true && is.taskId !== was?.taskId) counts.adopted(next(), model);
  if (needOf(after) === 'needs a decision' && needOf(before) !== 'needs a decision')
    counts.asked(next(), model);
  for (const [, { usage }] of after.heard.proofs.filter((one) => !before.heard.proofs.includes(one)))
    counts.charged(next(), { model, workspace, credits: usage.total });
  for (const { taskId, adopted, usage, ...ended } of after.attempts.slice(before.attempts.length)) {
    // The attempts of a deleted run were counted there.
    if (taskId !== null && taskId !== was?.taskId) continue;
    // So was what an earlier run has bought.
    const credits = adopted && after.isRerun ? 0 : usage.total;
    const lasted = taskId === null || was?.heldAt === undefined ? null : Date.now() - was.heldAt;
    counts.attempted(next(), { model, workspace, ...ended, credits, lasted });
  }
}
