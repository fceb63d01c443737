import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { NotFollowableError } from '../../client/failures/not-followable-error.ts';
import type { AnyHandle } from '../../client/handle-of.ts';
import type { StartOptions } from '../../client/options.ts';
import type { GenerationResult } from '../../contract/generation.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { ownCommand } from '../../package/own-command.ts';
import { parseDuration } from '../../policy/duration.ts';
import type { Answer } from '../answer.ts';
import { describeGenerationResult } from '../describe/describe-generation.ts';
import { describePipelineResult } from '../describe/describe-pipeline.ts';
import { StillRunning } from '../failures/still-running.ts';
import { describeSaved, saveOutputs } from '../files/save-outputs.ts';
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
  /** A folder for the files. */
  out?: string | undefined;
}

/** Gives a command that waits the option `--timeout <duration>`. */
export function waiting(command: Command): Command {
  const option = new Option(
    '--timeout <duration>',
    'stop waiting after this long, like 30s or 10m (exit code 1); the work goes on',
  );
  return command.addOption(option.argParser(readTimeout));
}

/** The option `--detach`. */
export function detaching(command: Command): Command {
  return command.option('--detach', 'start it, and do not wait for the result');
}

/** What a command answers with that does not wait. @param attached of a start: whether that was there already */
export function detached({ workflowId, attached }: { workflowId: string; attached?: boolean }): Answer {
  const text = `${workflowId}${attached === true ? ' exists already: nothing new is bought' : ''}`;
  return {
    json: { workflowId, ...(attached === undefined ? {} : { attached }) },
    text: `${text}\nTo follow it:\n  ${ownCommand('watch', workflowId)}`,
  };
}

/** The option `--priority <n>`. */
export function prioritized(command: Command): Command {
  const option = new Option('--priority <n>', '1 is first, 5 last (3 when absent), where tasks have to wait');
  return command.addOption(option.argParser(readPriority));
}

/** The option `--callback <url>`. */
export function callingBack(command: Command): Command {
  return command.option(
    '--callback <url>',
    'where the worker says that it has ended (DARKROOM_CONFIG allows it)',
  );
}

/** The option `--out <folder>`. */
export function saving(command: Command): Command {
  return command.option('--out <folder>', 'write the files into this folder, too');
}

function readTimeout(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError('It is a duration like 500ms, 30s, 10m or 2h.');
  return milliseconds;
}

function readPriority(text: string): NonNullable<StartOptions['priority']> {
  const found = ([1, 2, 3, 4, 5] as const).find((priority) => String(priority) === text);
  if (found === undefined) throw new InvalidArgumentError('It is a whole number from 1 to 5.');
  return found;
}

/**
 * Follows a run to its end, showing on the way what it does: what a command that waits answers with.
 *
 * @throws RunFailedError; StillRunning when the time is over
 */
export async function answerOf(
  session: Session,
  handle: AnyHandle,
  { label = handle.workflowId, timeout, asked = 'new', out }: Waiting,
): Promise<Answer> {
  if (handle.kind === 'batch') throw new NotFollowableError(handle.workflowId, handle.kind);
  const { config, temporal } = session;
  announce(handle, config.temporal, asked);
  const timeUp = timeOver(handle.workflowId, timeout);
  const told = async (text: string, result: GenerationResult | PipelineResult): Promise<string> => {
    if (out === undefined) return text;
    const files = await saveOutputs(session, handle.workflowId, result, out);
    return `${text}\n${describeSaved(files)}`;
  };
  if (handle.kind === 'generation') {
    const result = await followGeneration(temporal, handle, label, { timeUp });
    return { json: result, text: await told(describeGenerationResult(result), result) };
  }
  const result = await followPipeline(temporal, handle, { timeUp });
  return { json: result, text: await told(describePipelineResult(result), result) };
}

/** Rejects once somebody has waited long enough; undefined where that is as long as it takes. */
export function timeOver(workflowId: string, timeout: number | undefined): Promise<never> | undefined {
  if (timeout === undefined) return undefined;
  return delay(timeout, undefined, { ref: false }).then(() => {
    throw new StillRunning(workflowId, timeout);
  });
}
