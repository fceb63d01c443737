import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GenerationHandle } from '../../client/generation-handle.ts';
import type { PipelineHandle } from '../../client/pipeline-handle.ts';
import { parseDuration } from '../../policy/duration.ts';
import type { Answer } from '../answer.ts';
import { describeGenerationResult } from '../describe/describe-generation.ts';
import { describePipelineResult } from '../describe/describe-pipeline.ts';
import { StillRunning } from '../failures/still-running.ts';
import type { Session } from '../session.ts';
import { announce } from './announce.ts';
import { followGeneration, followPipeline } from './follow.ts';

/** How a command waits. */
export interface Waiting {
  /** What a generation's live line is called; its workflow id without it. */
  label?: string;
  /** Milliseconds; undefined: as long as it takes. */
  timeout?: number | undefined;
  /** Whether the caller asked for a new run, and so has to hear that there was one already. */
  asked?: 'new' | 'existing';
}

/** Gives a command that waits the option `--timeout <duration>`. */
export function waiting(command: Command): Command {
  const option = new Option(
    '--timeout <duration>',
    'stop waiting after this long, like 30s or 10m (exit code 1); the work goes on',
  );
  return command.addOption(option.argParser(readTimeout));
}

function readTimeout(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError('It is a duration like 500ms, 30s, 10m or 2h.');
  return milliseconds;
}

/**
 * Follows a run to its end, showing on the way what it does: what a command that waits answers with.
 *
 * @throws RunFailedError; StillRunning when the time is over
 */
export async function answerOf(
  { config, temporal }: Session,
  handle: GenerationHandle | PipelineHandle,
  { label = handle.workflowId, timeout, asked = 'new' }: Waiting,
): Promise<Answer> {
  announce(handle, config.temporal, asked);
  const timeUp = timeout === undefined ? undefined : timeOver(handle.workflowId, timeout);
  if (handle.kind === 'generation') {
    const result = await followGeneration(temporal, handle, label, { timeUp });
    return { json: result, text: describeGenerationResult(result) };
  }
  const result = await followPipeline(temporal, handle, { timeUp });
  return { json: result, text: describePipelineResult(result) };
}

/** Rejects once somebody has waited long enough. */
export async function timeOver(workflowId: string, timeout: number): Promise<never> {
  await delay(timeout, undefined, { ref: false });
  throw new StillRunning(workflowId, timeout);
}
