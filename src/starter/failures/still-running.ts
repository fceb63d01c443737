import { ownCommand } from '../../package/own-command.ts';
import { formatDuration } from '../../policy/duration.ts';

/** The time that the command was to wait is over; what it waited for goes on. */
export class StillRunning extends Error {
  override readonly name = 'StillRunning';
  readonly workflowId: string;

  /** @param waited milliseconds */
  constructor(workflowId: string, waited: number) {
    super(
      `${workflowId} still runs after ${formatDuration(waited)}. It goes on; to come back to it:\n  ${ownCommand('watch', workflowId)}`,
    );
    this.workflowId = workflowId;
  }
}
