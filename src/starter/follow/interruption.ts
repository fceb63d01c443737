import { ownCommand } from '../../package/own-command.ts';
import { INTERRUPTED } from '../../terminal/exit-codes.ts';
import { onStopSignal } from '../../terminal/stop-signals.ts';

/** A signal ended the command before it had its answer. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** What was followed, and goes on without it. */
  readonly workflowId: string | undefined;

  constructor(workflowId: string | undefined) {
    super(
      workflowId === undefined
        ? 'interrupted'
        : `interrupted. It goes on; to come back to it:\n  ${ownCommand('watch', workflowId)}`,
    );
    this.workflowId = workflowId;
  }
}

/** There is one command a process, and one set of signals. */
let followed: string | undefined;

/** Says what goes on when the command is interrupted from here on. */
export function goesOnWithout(workflowId: string): void {
  followed = workflowId;
}

/** Rejects with `Interrupted` when the program is asked to stop; asked again, it ends at once. */
export function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    onStopSignal(() => reject(new Interrupted(followed)), INTERRUPTED);
  });
}
