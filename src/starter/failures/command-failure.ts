import { ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { CommanderError } from 'commander';
import {
  GenerationFailedError,
  KeyInUseError,
  NotFollowableError,
  PipelineFailedError,
} from '../../client/darkroom-client.ts';
import { ConfigError } from '../../config/worker-config.ts';
import { TemporalUnreachable } from '../../temporal/connection.ts';
import { INTERRUPTED, USAGE } from '../../terminal/exit-codes.ts';
import { Interrupted } from '../follow/interruption.ts';
import { ApiUnavailable } from './api-unavailable.ts';
import { RequestRefused } from './request-refused.ts';
import { UsageError } from './usage-error.ts';

/** A command that gave no answer: what `--json` prints as `{ "error": … }`, and the exit code. */
export interface CommandFailure {
  type: string;
  message: string;
  details: unknown;
  /** 1: it failed; 2: it was asked for in a wrong way; 130: it was interrupted. */
  exitCode: 1 | typeof USAGE | typeof INTERRUPTED;
}

const GOES_ON =
  'what was started goes on when it is back; npm run starter -- show <workflow id> tells how it stands';

/** The one place where errors become exit codes. */
export function toCommandFailure(error: unknown): CommandFailure {
  if (error instanceof GenerationFailedError || error instanceof PipelineFailedError) {
    const { type, message, details } = error;
    return { type, message, details, exitCode: 1 };
  }
  const message = error instanceof Error ? error.message : String(error);
  const wrongUsage = (type: string, details: unknown = null): CommandFailure => ({
    type,
    message,
    details,
    exitCode: USAGE,
  });
  const failed = (type: string): CommandFailure => ({ type, message, details: null, exitCode: 1 });
  if (error instanceof RequestRefused) return wrongUsage('INVALID_REQUEST', error.details);
  if (error instanceof ConfigError) return wrongUsage('CONFIGURATION', { problems: error.problems });
  if (error instanceof Interrupted) {
    return {
      ...failed('INTERRUPTED'),
      details: { workflowId: error.workflowId ?? null },
      exitCode: INTERRUPTED,
    };
  }
  if (error instanceof NotFollowableError) return wrongUsage('USAGE');
  if (error instanceof UsageError || error instanceof RangeError) return wrongUsage('USAGE');
  if (error instanceof CommanderError)
    return { ...wrongUsage('USAGE'), message: message.replace(/^error: /, '') };
  if (error instanceof KeyInUseError) return wrongUsage('KEY_IN_USE');
  if (error instanceof TemporalUnreachable) return failed('TEMPORAL_UNREACHABLE');
  if (error instanceof ApiUnavailable) return failed(error.code);
  if (error instanceof WorkflowNotFoundError) {
    if (/already completed/.test(message))
      return { ...failed('CLOSED'), message: `${error.workflowId} has ended already` };
    return { ...failed('NOT_FOUND'), message: `there is no workflow ${error.workflowId}` };
  }
  if (error instanceof WorkflowUpdateFailedError) {
    return { ...failed('REFUSED'), message: error.cause?.message ?? message };
  }
  if (error instanceof ServiceError) {
    const reason = error.cause instanceof Error ? error.cause.message : message;
    return { ...failed('TEMPORAL_UNREACHABLE'), message: `Temporal gave no answer: ${reason}\n  ${GOES_ON}` };
  }
  return failed('UNEXPECTED');
}
