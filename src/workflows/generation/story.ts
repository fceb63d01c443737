import { proxySinks } from '@temporalio/workflow';
import type { Attempt } from '../../contract/generation.ts';
import { WAITING_FOR_BUDGET } from '../../contract/search-attributes.ts';
import type { DarkroomSinks } from '../../contract/sinks.ts';
import { heldTask, tasksOf, usageOf } from './attempts.ts';
import { needOf, noteOf } from './projections.ts';
import type { Heard, Run, State } from './state.ts';

const { counts } = proxySinks<DarkroomSinks>();

/** A line of the worker's log. */
export interface LogLine {
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
  for (const taskId of heard.foreign.slice(before.heard.foreign.length))
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
export function count(run: Run, before: State, after: State, change: number): void {
  const { workspace } = run;
  const { model } = run.request;
  const was = heldTask(before);
  const is = heldTask(after);
  if (is?.adopted === true && is.taskId !== was?.taskId) counts.adopted(`adopted ${is.taskId}`, model);
  if (needOf(after) === 'needs a decision' && needOf(before) !== 'needs a decision')
    counts.asked(`asked ${change}`, model);
  for (const [claimId, { usage }] of newProofs(before, after))
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
