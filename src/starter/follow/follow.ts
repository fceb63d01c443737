import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import {
  type GenerationHandle,
  PipelineFailedError,
  type PipelineHandle,
} from '../../client/darkroom-client.ts';
import type { GenerationResult, Progress } from '../../contract/generation.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { createProgressDisplay, type ProgressDisplay } from '../../terminal/progress-display.ts';
import type { StepLine } from '../../terminal/step-line.ts';
import { progressNote } from './progress-note.ts';
import { modelsOf, WatchLines } from './watch-lines.ts';

const INTERVAL = 400;
/** A query that nobody answers: no worker is running. */
const PATIENCE = 4_000;
const NO_WORKER = 'no worker answers; start one with: npm run worker';

/**
 * Waits for a generation's result and shows on the way what it is doing.
 *
 * @throws GenerationFailedError
 */
export async function followGeneration(
  client: Client,
  handle: GenerationHandle,
  label: string,
  display: ProgressDisplay = createProgressDisplay(),
): Promise<GenerationResult> {
  const lines = new WatchLines(asker(client));
  try {
    const result = await whileShowing(client, handle.result(), display, () =>
      lines.ofGeneration(handle, label),
    );
    display.show(lines.endOfGeneration(label, 'done', 'completed'));
    return result;
  } catch (error) {
    display.show(lines.endOfGeneration(label, 'failed', error instanceof Error ? error.message : 'failed'));
    throw error;
  } finally {
    display.end();
  }
}

/**
 * Waits for a pipeline's result and shows on the way what each step is doing.
 *
 * @throws PipelineFailedError
 */
export async function followPipeline(
  client: Client,
  handle: PipelineHandle,
  display: ProgressDisplay = createProgressDisplay(),
): Promise<PipelineResult> {
  const lines = new WatchLines(asker(client));
  let models: Record<string, string> = {};
  const look = async (): Promise<StepLine[]> => {
    if (Object.keys(models).length === 0) models = modelsOf(await handle.progress());
    return await lines.ofPipeline(handle);
  };
  try {
    const result = await whileShowing(client, handle.result(), display, look);
    display.show(lines.endOfPipeline(result.steps, models));
    return result;
  } catch (error) {
    if (error instanceof PipelineFailedError && error.result !== undefined) {
      display.show(lines.endOfPipeline(error.result.steps, models));
    }
    throw error;
  } finally {
    display.end();
  }
}

async function whileShowing<T>(
  client: Client,
  result: Promise<T>,
  display: ProgressDisplay,
  look: () => Promise<StepLine[]>,
): Promise<T> {
  const over = new AbortController();
  const ended = result.then(
    () => over.abort(),
    () => over.abort(),
  );
  let silentSince: number | undefined;
  while (!over.signal.aborted) {
    const seen = await Promise.race([
      ended,
      client.withAbortSignal(patience(over.signal), look).catch(() => null),
    ]);
    if (over.signal.aborted) break;
    if (seen === null) {
      // A worker that is just starting is no reason to complain.
      silentSince ??= Date.now();
      if (Date.now() - silentSince > PATIENCE) {
        display.note(NO_WORKER);
        silentSince = Number.POSITIVE_INFINITY;
      }
    } else if (seen !== undefined) {
      silentSince = undefined;
      display.show(seen);
    }
    await delay(INTERVAL, undefined, { signal: over.signal }).catch(() => undefined);
  }
  return await result;
}

function patience(over: AbortSignal): AbortSignal {
  return AbortSignal.any([over, AbortSignal.timeout(PATIENCE)]);
}

function asker(client: Client): (workflowId: string) => Promise<{ state: StepLine['state']; note: string }> {
  return async (workflowId) => {
    const progress = await client.workflow.getHandle(workflowId).query<Progress>('progress');
    return progressNote(progress, workflowId);
  };
}
