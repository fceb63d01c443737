import {
  CancellationScope,
  getExternalWorkflowHandle,
  log,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { ROW_MEMO, type RowState } from '../../contract/batch.ts';
import { rowStateSignal } from '../../contract/messages.ts';
import type { PipelineProgress } from '../../contract/pipeline.ts';
import { DarkroomModel, DarkroomState, DarkroomWorkspace } from '../../contract/search-attributes.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { boundProgress, describePipeline } from './details.ts';
import { costsIn, searchedBy, stepsIn, sumOf, TOLD_NOTHING, toldOf } from './projections.ts';
import { readShown } from './read-arguments.ts';
import type { PipelineEnded, State } from './state.ts';

/** What stands outside of a pipeline, as far as it follows its state. */
export interface Outside {
  searched: ReturnType<typeof searchedBy>;
  told: ReturnType<typeof toldOf>;
  /** Of this very run. */
  details: string;
}

/** What the run before this one has shown. */
export function shownBefore(state: State): Outside {
  return { searched: searchedBy(state), told: toldOf(state), details: '' };
}

/**
 * Brings up to date what stands outside of a pipeline: what it is searched by (an event of the history), the log, what
 * its batch is told, and the view of the Temporal Web UI.
 *
 * @param was undefined: nothing was shown yet
 */
export function show(was: Outside | undefined, state: State): Outside {
  const is: Outside = { searched: searchedBy(state), told: toldOf(state), details: detailsOf(state) };
  const { state: needs, model, workspace } = is.searched;
  if (was === undefined)
    upsertSearchAttributes([
      { key: DarkroomModel, value: model },
      { key: DarkroomWorkspace, value: workspace },
    ]);
  const { state: neededBefore = null, model: modelBefore = model } = was?.searched ?? {};
  if (needs !== neededBefore || model !== modelBefore) {
    upsertSearchAttributes([
      { key: DarkroomState, value: needs },
      { key: DarkroomModel, value: model },
    ]);
    if (needs !== neededBefore && needs !== null) log.warn(`${needs}: ${is.told.note}`);
  }
  if (JSON.stringify(is.told) !== JSON.stringify(was?.told ?? TOLD_NOTHING)) tellBatch(is.told);
  if (is.details !== was?.details) setCurrentDetails(is.details);
  if (state.ended !== undefined) logEnd(state.ended, sumOf(costsIn(state)).usage.total);
  return is;
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

/**
 * The pipeline of a row tells its batch that it needs a look, so that the batch is found by it, or waits for its budget. A pipeline of its own
 * tells nobody; a batch that is gone needs to know nothing.
 */
function tellBatch(said: Omit<RowState, 'workflowId'>): void {
  const { workflowId, memo, parent } = workflowInfo();
  if (typeof memo?.[ROW_MEMO] !== 'string' || parent === undefined) return;
  // Also where the pipeline is being cancelled: nobody waits for it.
  void CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(parent.workflowId)
      .signal(rowStateSignal, { workflowId, ...said })
      .catch(() => undefined),
  );
}
