import type { ReadFailure } from '../../client/following/read-failure.ts';
import type { BatchProgress, BatchResult } from '../../contract/batch.ts';
import type { GenerationResult, Progress } from '../../contract/generation.ts';
import type { PipelineProgress, PipelineResult } from '../../contract/pipeline.ts';
import { oneLine } from '../../terminal/printable.ts';
import { terminalColumns } from '../../terminal/terminal-columns.ts';
import { formatElapsed } from '../../terminal/units.ts';
import { hanging } from '../../terminal/wrap.ts';
import { describeBatchProgress, describeBatchResult } from './describe-batch.ts';
import { describeFailure, describeLoss } from './describe-failure.ts';
import { describeGenerationResult } from './describe-generation.ts';
import { describePipelineResult } from './describe-pipeline.ts';
import { describeSteps } from './describe-pipeline-progress.ts';
import { describeProgress } from './describe-progress.ts';
import type { Moment } from './timeline.ts';

/** How a run stands; what does not apply is null. */
export interface RunState {
  /** What a running one answers; null when no worker answers. */
  progress: Progress | PipelineProgress | BatchProgress | null;
  /** The Web UI's Current Details of a running one, in Markdown. */
  details: string | null;
  result: GenerationResult | PipelineResult | BatchResult | null;
  failure: ReadFailure | null;
}

/** Everything about one run. */
export interface RunReport extends RunState {
  workflowId: string;
  runId: string;
  type: string;
  /** Temporal's word: RUNNING, COMPLETED, FAILED, … */
  status: string;
  summary: string | null;
  startedAt: string;
  closedAt: string | null;
  timeline: Moment[];
  webUi: string | null;
}

/** Moments that are shown at the beginning and at the end of a timeline that is too long. */
const FIRST_MOMENTS = 10;
const LAST_MOMENTS = 30;

/** @param silence why a running one does not answer */
export function describeReport(report: RunReport, silence: string | undefined): string {
  const { workflowId, runId, type, status, summary, startedAt, closedAt, timeline, webUi } = report;
  return [
    `${workflowId} (${type}): ${status.toLowerCase().replaceAll('_', ' ')}`,
    ...(summary === null ? [] : [`  ${oneLine(summary)}`]),
    `  started ${startedAt}${closedAt === null ? '' : `, closed ${closedAt}`}`,
    `  run ${runId}`,
    ...(webUi === null ? [] : [`  ${webUi}`]),
    ...(timeline.length === 0 ? [] : ['', ...describeTimeline(timeline, terminalColumns()), '']),
    ...describeState(report),
    ...(silence === undefined ? [] : [silence]),
  ].join('\n');
}

/** A line for each moment, with the time since the first one. */
function describeTimeline(timeline: readonly Moment[], room: number | undefined): string[] {
  const began = Date.parse(timeline[0]?.at ?? '');
  const lines = timeline.map(({ at, what }) => {
    const after = `+${formatElapsed(Math.max(0, Date.parse(at) - began))}`;
    return hanging(`  ${after.padStart(11)}  `, oneLine(what), room);
  });
  const hidden = lines.length - FIRST_MOMENTS - LAST_MOMENTS;
  if (hidden <= 0) return lines;
  const gap = `  … ${hidden} more; --json has all of them`;
  return [...lines.slice(0, FIRST_MOMENTS), gap, ...lines.slice(-LAST_MOMENTS)];
}

function describeState({ workflowId, type, progress, result, failure }: RunReport): string[] {
  if (result !== null) {
    if ('rows' in result) return [describeBatchResult(result)];
    return ['steps' in result ? describePipelineResult(result) : describeGenerationResult(result)];
  }
  if (failure !== null) return [describeFailure(failure), describeLoss(workflowId, failure, type)];
  if (progress === null) return [];
  if ('rows' in progress) return describeBatchProgress(progress);
  if ('steps' in progress) return describeSteps(workflowId, progress);
  return [describeProgress(workflowId, progress)];
}
