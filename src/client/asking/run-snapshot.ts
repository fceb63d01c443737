import type { Client } from '@temporalio/client';
import type { BatchProgress, BatchRequest, BatchResult } from '../../contract/batch.ts';
import type { GenerationRequest, Progress } from '../../contract/generation.ts';
import type { PipelineProgress, PipelineRequest, PipelineResult } from '../../contract/pipeline.ts';
import type { ModelResult } from '../../contract/steps/model-result.ts';
import { readRequest } from '../../temporal/history.ts';
import { RunFailedError } from '../failures/run-failed-error.ts';
import type { AnyHandle } from '../handle-of.ts';
import type { RunSummary } from './run-summary.ts';

/** How one run stands. */
export type RunSnapshot =
  | Snapshot<'generation', GenerationRequest, Progress, ModelResult>
  | Snapshot<'pipeline', PipelineRequest, PipelineProgress, PipelineResult>
  | Snapshot<'batch', BatchRequest, BatchProgress, BatchResult>;

interface Snapshot<Kind, Request, Progress, Result> extends RunSummary {
  type: RunSummary['type'] & Kind;
  /** What the run was started with; null where it cannot be read. */
  request: Request | null;
  /** Of an open run; null where no worker answers. */
  progress: Progress | null;
  /** Of a run that has completed. */
  result: Result | null;
  /** Of a run that has ended without a result. */
  error: RunFailedError | null;
}

/** How long a worker is given to answer (milliseconds). */
const PATIENCE = 3_000;

/** Asks for everything that is known of a run, without waiting for it. */
export async function snapshotOf(
  client: Client,
  handle: AnyHandle,
  summary: RunSummary,
): Promise<RunSnapshot> {
  const isOpen = summary.status === 'RUNNING';
  const [request, progress, outcome] = await Promise.all([
    readRequest(client, handle.workflowId, handle.runId).catch(() => undefined),
    isOpen
      ? client
          .withDeadline<Progress | PipelineProgress | BatchProgress>(Date.now() + PATIENCE, () =>
            handle.currentProgress(),
          )
          .catch(() => null)
      : null,
    isOpen ? null : endOf(handle),
  ]);
  // The parts of one handle belong together, which their types cannot say.
  return {
    ...summary,
    request: request ?? null,
    progress,
    result: outcome instanceof RunFailedError ? null : outcome,
    error: outcome instanceof RunFailedError ? outcome : null,
  } as RunSnapshot;
}

async function endOf(
  handle: AnyHandle,
): Promise<ModelResult | PipelineResult | BatchResult | RunFailedError> {
  try {
    return await handle.result();
  } catch (error) {
    if (error instanceof RunFailedError) return error;
    throw error;
  }
}
