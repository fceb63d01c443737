import type { Logger, SearchAttributePair, SearchAttributeUpdatePair } from '@temporalio/common';
import { log, proxySinks, setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { Attempt } from '../../contract/generation.ts';
import {
  DarkroomModel,
  DarkroomState,
  DarkroomTaskId,
  DarkroomWorkspace,
  isSearchable,
  WAITING_FOR_BUDGET,
} from '../../contract/search-attributes.ts';
import type { DarkroomSinks } from '../../contract/sinks.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { tellPipeline } from '../tell-parent.ts';
import { heldTask, ownTasks, tasksOf, usageOf } from './attempts.ts';
import { describeRun } from './details.ts';
import { memoOf, searchableTask, searchedBy, viewOf } from './projections.ts';
import type { Run, State } from './state.ts';

const { tasks, counts } = proxySinks<DarkroomSinks>();
const OUTSIDE = { log, counts };

/**
 * Sets all that is seen of a run from outside, where it has changed: nothing else does. What the UI shows costs no history.
 *
 * @param before undefined: nothing was set in this run yet
 * @param change which one of the run's it is
 */
export function show(run: Run, before: State | undefined, after: State, change = 0): void {
  setCurrentDetails(describeRun(run, after));
  const attributes: SearchAttributeUpdatePair[] = [];
  const taskId = searchableTask(after);
  const isNew = taskId !== undefined && (before === undefined || taskId !== searchableTask(before));
  if (isNew) {
    // From here on the webhook finds this workflow by the task, and so does an operator.
    tasks.held({ workspace: run.workspace, taskId });
    attributes.push({ key: DarkroomTaskId, value: taskId });
  }
  const attention = searchedBy(after);
  const isOver = after.stage.at === 'done';
  if (before !== undefined) {
    if (attention !== searchedBy(before)) attributes.push({ key: DarkroomState, value: attention ?? null });
    const { need, note } = viewOf(after);
    // Its end tells enough.
    if (need !== viewOf(before).need && !isOver) tellPipeline(need, note);
    tell(run, before, after, change);
  }
  const isFailed = after.stage.at === 'done' && after.stage.end.kind !== 'completed';
  const isNoted = isFailed && before?.stage.at !== 'done' && ownTasks(after).size === 0;
  // One that holds no task yet is to be found by what it is as well.
  if (isNew || isNoted || (attributes.length > 0 && attention !== undefined))
    attributes.push(...whatItIs(run));
  if (attributes.length > 0) upsertSearchAttributes(attributes);
  const memo = memoOf(run, after);
  if (memo !== undefined && after.stage !== before?.stage) upsertMemo({ cancelled: memo });
}

/** The request may have been refused for either of these. */
function whatItIs({ request: { model }, workspace }: Run): SearchAttributePair[] {
  return [
    ...(isSearchable(model) ? [{ key: DarkroomModel, value: model }] : []),
    { key: DarkroomWorkspace, value: isSearchable(workspace) ? workspace : DEFAULT_WORKSPACE },
  ];
}

/**
 * Tells the log and the metrics what has happened between two states of a run. What is counted has a name, by which it
 * counts once: where a workflow task is run again, because something has come meanwhile, its changes may have other numbers.
 *
 * @param change its number in the run
 */
export function tell(
  { request: { model }, workspace }: Pick<Run, 'request' | 'workspace'>,
  before: State,
  after: State,
  change: number,
  { log, counts }: { log: Pick<Logger, 'info' | 'warn'>; counts: DarkroomSinks['counts'] } = OUTSIDE,
): void {
  const { stage, heard, attempts, foreign = [] } = after;
  const was = heldTask(before);
  const is = heldTask(after);
  const { need, note = '' } = viewOf(after);
  if (is !== undefined && is.taskId !== was?.taskId) {
    const { taskId, adopted } = is;
    log.info(`${adopted ? 'adopted' : 'bought'} task ${taskId}`, { taskId });
    if (adopted) counts.adopted(`adopted ${taskId}`, model);
  }
  for (const [at, attempt] of attempts.entries()) {
    if (at < before.attempts.length) continue;
    const { taskId, adopted, usage, claimId: _, ...ended } = attempt;
    if (ended.outcome !== 'completed') log.warn(inWords(attempt), { taskId: taskId ?? undefined });
    // The attempts of a deleted run were counted there.
    if (taskId !== null && taskId !== was?.taskId) continue;
    // So was what an earlier run has bought.
    const credits = adopted && after.isRerun ? 0 : usage.total;
    const lasted = taskId === null || was?.heldAt === undefined ? null : Date.now() - was.heldAt;
    counts.attempted(`attempt ${at}`, { model, workspace, ...ended, credits, lasted });
  }
  for (const proof of heard.proofs) {
    if (before.heard.proofs.includes(proof)) continue;
    const [
      claimId,
      {
        taskId,
        usage: { total: credits },
      },
    ] = proof;
    log.warn(`a submit that was given up has bought task ${taskId} for ${credits} credits`, { taskId });
    counts.charged(`charged ${claimId}`, { model, workspace, credits });
  }
  if (need !== undefined && need !== viewOf(before).need) {
    log[need === WAITING_FOR_BUDGET ? 'info' : 'warn'](`${need}: ${note}`, { taskId: is?.taskId });
    if (need === 'needs a decision') counts.asked(`asked ${change}`, model);
  }
  if (heard.decisions.count !== before.heard.decisions.count)
    log.info(`a person has decided: ${heard.decisions.latest?.action}`);
  for (const taskId of foreign.slice(before.foreign?.length))
    log.warn(`task ${taskId} is adopted, and is of another model or input: it is not charged to this run`, {
      taskId,
    });
  if (stage.at === 'done' && before.stage.at !== 'done') {
    const { total } = usageOf(after);
    const { end } = stage;
    if (end.kind === 'failed') log.warn(`failed with ${end.type} after ${total} credits: ${end.message}`);
    else log.info(`${end.kind} for ${total} credits`, { taskId: tasksOf(after).at(-1) });
  }
}

function inWords({ taskId, outcome, code }: Attempt): string {
  if (outcome === 'unknown') return 'nobody can tell whether a submit has bought a task';
  return `${taskId === null ? 'the submit was' : `task ${taskId}`} ${outcome}${code === null ? '' : `: ${code}`}`;
}
