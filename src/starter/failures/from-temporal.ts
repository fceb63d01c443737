import {
  isGrpcServiceError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ownCommand } from '../../package/own-command.ts';
import { isRefused } from '../../temporal/grpc-status.ts';
import { TemporalFailure } from './temporal-failure.ts';

/** What Temporal's client throws, in the words of the command line; all else as it is. */
export function fromTemporal(error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError) {
    return /already completed/.test(error.message)
      ? new TemporalFailure('CLOSED', `${error.workflowId} has ended already`)
      : new TemporalFailure('NOT_FOUND', `there is no workflow ${error.workflowId}`);
  }
  if (error instanceof WorkflowUpdateFailedError)
    return new TemporalFailure('REFUSED', error.cause?.message ?? error.message);
  if (
    error instanceof ServiceError ||
    error instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
    isGrpcServiceError(error)
  ) {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    if (isRefused(error)) return new TemporalFailure('TEMPORAL_REFUSED', `Temporal refuses: ${reason}`);
    const message = [
      `Temporal gave no answer: ${reason}`,
      '  what was started goes on when it is back; to see how it stands:',
      `  ${ownCommand('show')} <workflow id>`,
    ];
    return new TemporalFailure('TEMPORAL_UNREACHABLE', message.join('\n'));
  }
  return error;
}
