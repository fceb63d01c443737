import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { PipelineFailedError } from '../../client/failures/failure-classes.ts';
import { RunFailedError } from '../../client/failures/run-failed-error.ts';
import type { GenerationHandle } from '../../client/generation-handle.ts';
import type { PipelineHandle } from '../../client/pipeline-handle.ts';
import type { GenerationResult } from '../../contract/generation.ts';
import { progressQuery } from '../../contract/messages.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { createProgressDisplay, type ProgressDisplay } from '../../terminal/progress-display.ts';
import type { StepLine } from '../../terminal/step-line.ts';
import { liveNote } from './progress-note.ts';
import { describeSilence } from './silence.ts';
import { type AskGeneration, modelsOf, WatchLines } from './watch-lines.ts';

/** Milliseconds between two looks. */
const INTERVAL = 400;
/** A query that is not answered for so long: perhaps no worker is there. */
const PATIENCE = 3_000;

interface Following {
  display?: ProgressDisplay;
  /** Rejects when the caller does not want to wait any longer. */
  timeUp?: Promise<never> | undefined;
}

/**
 * Waits for a generation's result and shows on the way what it is doing.
 *
 * @throws RunFailedError, or what `timeUp` rejects with
 */
export async function followGeneration(
  client: Client,
  handle: GenerationHandle,
  label: string,
  { display = createProgressDisplay(), timeUp }: Following = {},
): Promise<GenerationResult> {
  const lines = new WatchLines(asker(client));
  const look = (): Promise<StepLine[]> => lines.ofGeneration(handle, label);
  try {
    const result = await whileShowing(client, handle, { display, look, timeUp });
    display.show(lines.endOfGeneration(label, 'done', 'completed'));
    return result;
  } catch (error) {
    if (error instanceof RunFailedError) display.show(lines.endOfGeneration(label, 'failed', error.reason));
    throw error;
  } finally {
    display.end();
  }
}

/**
 * Waits for a pipeline's result and shows on the way what each step is doing.
 *
 * @throws RunFailedError, or what `timeUp` rejects with
 */
export async function followPipeline(
  client: Client,
  handle: PipelineHandle,
  { display = createProgressDisplay(), timeUp }: Following = {},
): Promise<PipelineResult> {
  const lines = new WatchLines(asker(client));
  let models: Record<string, string> = {};
  const look = async (): Promise<StepLine[]> => {
    if (Object.keys(models).length === 0) models = modelsOf(await handle.currentProgress());
    return await lines.ofPipeline(handle);
  };
  try {
    const result = await whileShowing(client, handle, { display, look, timeUp });
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

/** What is followed: its end, and its id for questions on the way. */
interface Followed<T> {
  workflowId: string;
  result(options: { withoutWorker: 'wait' }): Promise<T>;
}

async function whileShowing<T>(
  client: Client,
  followed: Followed<T>,
  {
    display,
    look,
    timeUp,
  }: { display: ProgressDisplay; look: () => Promise<StepLine[]>; timeUp: Promise<never> | undefined },
): Promise<T> {
  const result = Promise.race([
    followed.result({ withoutWorker: 'wait' }),
    ...(timeUp === undefined ? [] : [timeUp]),
  ]);
  const over = new AbortController();
  const ended = result.then(
    () => over.abort(),
    () => over.abort(),
  );
  let heardAt = Date.now();
  let isNamed = false;
  while (!over.signal.aborted) {
    const patience = AbortSignal.any([over.signal, AbortSignal.timeout(PATIENCE)]);
    const seen = await Promise.race([ended, client.withAbortSignal(patience, look).catch(() => null)]);
    if (over.signal.aborted) break;
    if (seen !== null && seen !== undefined) {
      heardAt = Date.now();
      isNamed = false;
      display.show(seen);
    } else if (!isNamed && Date.now() - heardAt >= PATIENCE) {
      // Once: it is told again only after an answer.
      isNamed = true;
      const why = await describeSilence(client, followed.workflowId).catch(() => undefined);
      if (why !== undefined && !over.signal.aborted) display.note(why);
    }
    await delay(INTERVAL, undefined, { signal: over.signal }).catch(() => undefined);
  }
  return await result;
}

function asker(client: Client): AskGeneration {
  return async (workflowId) =>
    liveNote(await client.workflow.getHandle(workflowId).query(progressQuery), workflowId);
}
