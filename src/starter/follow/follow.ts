import type { Client } from '@temporalio/client';
import { PipelineFailedError } from '../../client/failures/failure-classes.ts';
import { RunFailedError } from '../../client/failures/run-failed-error.ts';
import { follow } from '../../client/following/run-follower.ts';
import type { GenerationHandle } from '../../client/generation-handle.ts';
import type { CallOptions } from '../../client/options.ts';
import type { PipelineHandle } from '../../client/pipeline-handle.ts';
import type { GenerationResult, Progress } from '../../contract/generation.ts';
import type { PipelineProgress, PipelineResult } from '../../contract/pipeline.ts';
import { createProgressDisplay, type ProgressDisplay } from '../../terminal/progress-display.ts';
import type { StepLine } from '../../terminal/step-line.ts';
import { Silence } from './silence.ts';
import { modelsOf, WatchLines } from './watch-lines.ts';

/** Milliseconds between two looks at least, and until what stands there is drawn anew. */
const INTERVAL = 1_000;
const REDRAWN = 400;
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
  const lines = new WatchLines();
  const of = (progress: Progress): StepLine[] => lines.ofGeneration(progress, handle.workflowId, label);
  try {
    const result = await whileShowing(client, handle, { display, lines: of, timeUp });
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
  const lines = new WatchLines();
  let models: Record<string, string> = {};
  const of = (progress: PipelineProgress): StepLine[] => {
    models = modelsOf(progress);
    return lines.ofPipeline(progress, handle.workflowId);
  };
  try {
    const result = await whileShowing(client, handle, { display, lines: of, timeUp });
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

/** What is followed: its end, and how it stands on the way. */
interface Followed<T, Progress> {
  workflowId: string;
  result(options: { withoutWorker: 'wait' }): Promise<T>;
  currentProgress(options: CallOptions): Promise<Progress>;
}

async function whileShowing<T, Progress>(
  client: Client,
  followed: Followed<T, Progress>,
  {
    display,
    lines,
    timeUp,
  }: {
    display: ProgressDisplay;
    lines: (progress: Progress) => StepLine[];
    timeUp: Promise<never> | undefined;
  },
): Promise<T> {
  const { workflowId } = followed;
  const result = Promise.race([
    followed.result({ withoutWorker: 'wait' }),
    ...(timeUp === undefined ? [] : [timeUp]),
  ]);
  const over = new AbortController();
  const end = (): void => over.abort();
  result.then(end, end);
  const look = (): Promise<Progress> => followed.currentProgress({ timeout: PATIENCE });
  const following = follow(client, { workflowId, look }, INTERVAL);
  const silence = new Silence(client, workflowId);
  try {
    while (!over.signal.aborted) {
      const { isSilent, why } = await silence.check(following);
      if (over.signal.aborted) break;
      const { latest } = following;
      if (why !== undefined) display.note(why);
      else if (!isSilent && latest !== undefined) display.show(lines(latest));
      // Without news the lines change by the time alone.
      await following.changed(over.signal, REDRAWN);
    }
    return await result;
  } finally {
    following.leave();
  }
}
