import { log, setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { PipelineProgress } from '../../contract/pipeline.ts';
import { DarkroomModel, DarkroomState, DarkroomWorkspace } from '../../contract/search-attributes.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { tellBatch } from '../tell-parent.ts';
import { boundProgress, describePipeline } from './details.ts';
import { costsIn, searchedBy, stepsIn, sumOf, toldOf } from './projections.ts';
import { readShown } from './read-arguments.ts';
import { type PipelineEnded, type State, unknown } from './state.ts';

/**
 * Brings up to date what stands outside of a pipeline: what it is searched by (an event of the history), the log, what
 * its batch is told, and the view of the Temporal Web UI (which costs no history).
 *
 * @param shown what was shown last, by this run or the one before it; undefined: nothing yet
 */
export function show(shown: State | undefined, state: State): void {
  const before = shown ?? unknown(state.id, state.request);
  const was = searchedBy(before);
  const is = searchedBy(state);
  const told = toldOf(state);
  const isNew = shown === undefined;
  const changes = [
    ...(isNew ? [{ key: DarkroomWorkspace, value: is.workspace }] : []),
    ...(isNew || is.model !== was.model ? [{ key: DarkroomModel, value: is.model }] : []),
    ...(is.state === was.state ? [] : [{ key: DarkroomState, value: is.state }]),
  ];
  if (changes.length > 0) upsertSearchAttributes(changes);
  if (is.state !== was.state && is.state !== null) log.warn(`${is.state}: ${told.note}`);
  if (JSON.stringify(told) !== JSON.stringify(toldOf(before))) tellBatch(told);
  setCurrentDetails(detailsOf(state));
  if (state.ended !== undefined) logEnd(state.ended, sumOf(costsIn(state)).usage.total);
}

/** The query's answer. */
export function progressOf(state: State): PipelineProgress {
  return boundProgress(stepsIn(state), sumOf(costsIn(state)).usage);
}

function detailsOf(state: State): string {
  const { workspace, budget } = readShown(state.request);
  return describePipeline(progressOf(state), {
    workflowId: state.id,
    namespace: workflowInfo().namespace,
    workspace: workspace ?? DEFAULT_WORKSPACE,
    budget: budget?.credits,
    ended: state.ended,
  });
}

function logEnd(ended: PipelineEnded, spent: number): void {
  if (ended.kind === 'failed') log.warn(`failed with ${ended.type}: ${ended.message}`);
  else if (ended.kind === 'cancelled') log.info('cancelled; tasks that were bought go on at the API');
  else
    log.info(
      `ended as ${ended.status} for ${spent} credits, ${ended.charged.total} of them charged by this run`,
    );
}
