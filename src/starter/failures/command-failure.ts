import { CommanderError } from 'commander';
import { ApiUnavailable } from '../../client/failures/api-unavailable.ts';
import { KeyInUseError } from '../../client/failures/key-in-use-error.ts';
import { NotFollowableError } from '../../client/failures/not-followable-error.ts';
import { RerunRefusedError } from '../../client/failures/rerun-refused-error.ts';
import { RunFailedError } from '../../client/failures/run-failed-error.ts';
import { ConfigError } from '../../config/config-error.ts';
import { MissingPackages } from '../../package/needed-packages.ts';
import { ownCommand } from '../../package/own-command.ts';
import { TemporalUnreachable } from '../../temporal/temporal-unreachable.ts';
import { INTERRUPTED, USAGE } from '../../terminal/exit-codes.ts';
import { describeFailure, describeLoss } from '../describe/describe-failure.ts';
import { Interrupted } from '../follow/interruption.ts';
import { NoWorker } from './no-worker.ts';
import { RequestRefused } from './request-refused.ts';
import { RowsLeft } from './rows-left.ts';
import { StillRunning } from './still-running.ts';
import { TemporalFailure } from './temporal-failure.ts';
import { UsageError } from './usage-error.ts';

/**
 * What a command line can fail with, beside what runs fail with and the API's codes, and the exit code of each. 1: it
 * failed; 2: it was asked for in a wrong way; 130: it was interrupted.
 */
export const EXIT_CODES = {
  USAGE,
  CONFIGURATION: USAGE,
  KEY_IN_USE: USAGE,
  NOT_FOUND: 1,
  CLOSED: 1,
  REFUSED: 1,
  RERUN_REFUSED: 1,
  NO_WORKER: 1,
  STILL_RUNNING: 1,
  ROWS_LEFT: 1,
  TEMPORAL_REFUSED: 1,
  TEMPORAL_UNREACHABLE: 1,
  MISSING_PACKAGES: 1,
  UNEXPECTED: 1,
  INTERRUPTED,
} as const;

/** A command that gave no answer: what `--json` prints as `{ "error": … }`, what people read, and the exit code. */
export interface CommandFailure {
  type: string;
  message: string;
  details: unknown;
  /** What went wrong, for people. */
  text: string;
  /** What was tried, what it cost and what to do next. */
  more?: string;
  exitCode: (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
}

/** The one place where errors become exit codes. */
export function toCommandFailure(error: unknown): CommandFailure {
  if (error instanceof RunFailedError) {
    const { type, reason: message, details, workflowId, kind } = error;
    const failure = { type, message, details };
    return {
      ...failure,
      text: describeFailure(failure),
      more: describeLoss(workflowId, failure, kind),
      exitCode: 1,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RequestRefused) {
    const refused = { type: 'INVALID_REQUEST', message, details: error.details };
    return { ...refused, text: describeFailure(refused), exitCode: USAGE };
  }
  if (error instanceof CommanderError) return usage(message.replace(/^error: /, ''));
  if (error instanceof UsageError || error instanceof RangeError || error instanceof NotFollowableError)
    return usage(message);
  if (error instanceof ConfigError) return of('CONFIGURATION', message, { problems: error.problems });
  if (error instanceof RerunRefusedError) return of('RERUN_REFUSED', message);
  if (error instanceof KeyInUseError) return of('KEY_IN_USE', message);
  if (error instanceof Interrupted)
    return of('INTERRUPTED', message, { workflowId: error.workflowId ?? null });
  if (error instanceof StillRunning) return of('STILL_RUNNING', message, { workflowId: error.workflowId });
  if (error instanceof MissingPackages) return of('MISSING_PACKAGES', message, { packages: error.packages });
  if (error instanceof RowsLeft) return of('ROWS_LEFT', message, error.result);
  if (error instanceof NoWorker) return of('NO_WORKER', message);
  if (error instanceof TemporalUnreachable) return of('TEMPORAL_UNREACHABLE', message);
  if (error instanceof ApiUnavailable)
    return { type: error.code, message, details: null, text: `${error.code}: ${message}`, exitCode: 1 };
  return of(error instanceof TemporalFailure ? error.type : 'UNEXPECTED', message);
}

function of(type: keyof typeof EXIT_CODES, message: string, details: unknown = null): CommandFailure {
  return { type, message, details, text: message, exitCode: EXIT_CODES[type] };
}

function usage(message: string): CommandFailure {
  return { ...of('USAGE', message), more: `(${ownCommand('--help')} shows the commands)` };
}
