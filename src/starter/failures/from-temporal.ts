import { ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ownCommand } from '../../package/own-command.ts';

/** What Temporal's client throws, by the type and in the words of the command line; undefined for all else. */
export function fromTemporal(error: unknown): { type: string; text: string } | undefined {
  if (error instanceof WorkflowNotFoundError) {
    return /already completed/.test(error.message)
      ? { type: 'CLOSED', text: `${error.workflowId} has ended already` }
      : { type: 'NOT_FOUND', text: `there is no workflow ${error.workflowId}` };
  }
  if (error instanceof WorkflowUpdateFailedError)
    return { type: 'REFUSED', text: error.cause?.message ?? error.message };
  if (error instanceof ServiceError) {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    const message = [
      `Temporal gave no answer: ${reason}`,
      '  what was started goes on when it is back; to see how it stands:',
      `  ${ownCommand('show')} <workflow id>`,
    ];
    return { type: 'TEMPORAL_UNREACHABLE', text: message.join('\n') };
  }
  return undefined;
}
