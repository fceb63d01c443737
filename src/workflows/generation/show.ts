import type { SearchAttributePair, SearchAttributeUpdatePair } from '@temporalio/common';
import { log, proxySinks, setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import {
  DarkroomModel,
  DarkroomState,
  DarkroomTaskId,
  DarkroomWorkspace,
  isSearchable,
} from '../../contract/search-attributes.ts';
import type { DarkroomSinks } from '../../contract/sinks.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { tellPipeline } from '../tell-pipeline.ts';
import { ownTasks } from './attempts.ts';
import { describeRun } from './details.ts';
import { memoOf, needOf, noteOf, searchableTask, searchedBy } from './projections.ts';
import type { Run, State } from './state.ts';
import { count, story } from './story.ts';

const { tasks } = proxySinks<DarkroomSinks>();

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

/** What is seen hangs on these. Thousands of events may come, of whatever tasks: they are only heard. */
const SEEN = ['stage', 'attempts', 'looksBack', 'decided'] as const;
const SEEN_OF_HEARD = ['proofs', 'heldUp', 'foreign', 'begunLooks', 'decisions'] as const;

function looksTheSame(before: State, after: State): boolean {
  const isHeard = SEEN_OF_HEARD.some((key) => after.heard[key] !== before.heard[key]);
  return !isHeard && SEEN.every((key) => after[key] === before[key]);
}

/** The request may have been refused for either of these. */
function whatItIs({ request: { model }, workspace }: Run): SearchAttributePair[] {
  return [
    ...(isSearchable(model) ? [{ key: DarkroomModel, value: model }] : []),
    { key: DarkroomWorkspace, value: isSearchable(workspace) ? workspace : DEFAULT_WORKSPACE },
  ];
}
