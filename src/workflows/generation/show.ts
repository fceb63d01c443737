import type { SearchAttributePair, SearchAttributeUpdatePair } from '@temporalio/common';
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
import { tellPipeline } from '../tell-pipeline.ts';
import { heldTask, ownTasks, tasksOf, usageOf } from './attempts.ts';
import { describeRun } from './details.ts';
import { memoOf, needOf, noteOf, searchableTask, searchedBy } from './projections.ts';
import type { Heard, Run, State } from './state.ts';

const { tasks, counts } = proxySinks<DarkroomSinks>();

/**
 * Sets all that is seen of a run from outside, where it has changed: nothing else does. What the UI shows costs no history.
 *
 * @param before undefined: nothing was set in this run yet
 * @param change which one of the run's it is
 */
export function show(run: Run, before: State | undefined, after: State, change = 0): void {
  if (before !== undefined && looksTheSame(before, after)) return;
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
    const need = needOf(after);
    // Its end tells enough.
    if (need !== needOf(before) && !isOver) tellPipeline(need, noteOf(after));
    for (const { level, message, ...about } of story(before, after)) log[level](message, about);
    count(run, before, after, change);
  }
  const isFailed = after.stage.at === 'done' && after.stage.end.kind !== 'completed';
  const isNoted = isFailed && before?.stage.at !== 'done' && ownTasks(after).size === 0;
  // One that holds no task yet is to be found by what it is as well.
  if (isNew || isNoted || (attributes.length > 0 && attention !== undefined))
    attributes.push(...whatItIs(run));
  if (attributes.length > 0) upsertSearchAttributes(attributes);
  const memo = memoOf(run, after);
  if (memo !== undefined) upsertMemo({ cancelled: memo });
}

/** Thousands of events may come, of whatever tasks: they are only heard. */
function looksTheSame(before: State, after: State): boolean {
  const was = seenOf(before);
  return seenOf(after).every((one, index) => one === was[index]);
}

/** What is seen hangs on these. */
function seenOf({ stage, attempts, looksBack, decided, foreign, heard }: State): unknown[] {
  const { proofs, heldUp, begunLooks, decisions } = heard;
  return [stage, attempts, looksBack, decided, proofs, heldUp, foreign, begunLooks, decisions];
}

/** The request may have been refused for either of these. */
function whatItIs({ request: { model }, workspace }: Run): SearchAttributePair[] {
  return [
    ...(isSearchable(model) ? [{ key: DarkroomModel, value: model }] : []),
    { key: DarkroomWorkspace, value: isSearchable(workspace) ? workspace : DEFAULT_WORKSPACE },
  ];
}

/** A line of the worker's log. */
interface LogLine {
  level: 'info' | 'warn';
  message: string;
  taskId?: string | undefined;
}

/** What has happened between two states of a run, for the log. */
export function story(before: State, after: State): LogLine[] {
  const lines: LogLine[] = [];
  const info = (message: string, taskId?: string) => lines.push({ level: 'info', message, taskId });
  const warn = (message: string, taskId?: string) => lines.push({ level: 'warn', message, taskId });
  const task = heldTask(after);
  const { heard, stage } = after;
  const need = needOf(after);
  if (task !== undefined && task.taskId !== heldTask(before)?.taskId)
    info(`${task.adopted ? 'adopted' : 'bought'} task ${task.taskId}`, task.taskId);
  for (const attempt of after.attempts.slice(before.attempts.length))
    if (attempt.outcome !== 'completed') warn(inWords(attempt), attempt.taskId ?? undefined);
  for (const [, { taskId, usage }] of newProofs(before, after))
    warn(`a submit that was given up has bought task ${taskId} for ${usage.total} credits`, taskId);
  if (need !== undefined && need !== needOf(before)) {
    const tell = need === WAITING_FOR_BUDGET ? info : warn;
    tell(`${need}: ${noteOf(after) ?? ''}`, task?.taskId);
  }
  if (heard.decisions.count !== before.heard.decisions.count)
    info(`a person has decided: ${heard.decisions.latest?.action}`);
  for (const taskId of after.foreign?.slice(before.foreign?.length ?? 0) ?? [])
    warn(
      `task ${taskId} is adopted, and is of another model or input: it is not charged to this run`,
      taskId,
    );
  if (stage.at === 'done' && before.stage.at !== 'done') {
    const { total } = usageOf(after);
    const { end } = stage;
    if (end.kind === 'failed') warn(`failed with ${end.type} after ${total} credits: ${end.message}`);
    else info(`${end.kind} for ${total} credits`, tasksOf(after).at(-1));
  }
  return lines;
}

function inWords({ taskId, outcome, code }: Attempt): string {
  if (outcome === 'unknown') return 'nobody can tell whether a submit has bought a task';
  return `${taskId === null ? 'the submit was' : `task ${taskId}`} ${outcome}${code === null ? '' : `: ${code}`}`;
}

const newProofs = (before: State, after: State): Heard['proofs'] =>
  after.heard.proofs.filter((one) => !before.heard.proofs.includes(one));

/**
 * Tells the metrics what has happened between two states. Each fact has a name, by which it counts once: where a
 * workflow task is run again, because something has come meanwhile, its changes may have other numbers.
 *
 * @param change its number in the run
 */
function count(run: Run, before: State, after: State, change: number): void {
  const { workspace } = run;
  const { model } = run.request;
  const was = heldTask(before);
  const is = heldTask(after);
  if (is?.adopted === true && is.taskId !== was?.taskId) counts.adopted(`adopted ${is.taskId}`, model);
  if (needOf(after) === 'needs a decision' && needOf(before) !== 'needs a decision')
    counts.asked(`asked ${change}`, model);
  for (const [claimId, { usage }] of newProofs(before, after))
    counts.charged(`charged ${claimId}`, { model, workspace, credits: usage.total });
  for (const [at, { taskId, adopted, usage, claimId: _, ...ended }] of after.attempts.entries()) {
    if (at < before.attempts.length) continue;
    // The attempts of a deleted run were counted there.
    if (taskId !== null && taskId !== was?.taskId) continue;
    // So was what an earlier run has bought.
    const credits = adopted && after.isRerun ? 0 : usage.total;
    const lasted = taskId === null || was?.heldAt === undefined ? null : Date.now() - was.heldAt;
    counts.attempted(`attempt ${at}`, { model, workspace, ...ended, credits, lasted });
  }
}
