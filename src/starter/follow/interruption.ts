import { ownCommand } from '../../package/own-command.ts';
import { INTERRUPTED } from '../../terminal/exit-codes.ts';
import { onStopSignal } from '../../terminal/stop-signals.ts';

/** A signal ended the command before it had its answer. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** What was followed, and goes on without it. */
  readonly workflowId: string | undefined;

  constructor(workflowId: string | undefined, isStarting = false) {
    super(
      workflowId === undefined
        ? 'interrupted'
        : `interrupted. ${isStarting ? 'It was being started, and goes on where that was taken' : 'It goes on'}; to come back to it:\n  ${ownCommand('watch', workflowId)}`,
    );
    this.workflowId = workflowId;
  }
}

/** There is one command a process, and one set of signals. */
let followed: string | undefined;
let isStarting = false;

/** As `goesOnWithout`, from before the start: the id is known, and whether it is taken is not. */
export function mayGoOnWithout(workflowId: string): void {
  followed = workflowId;
  isStarting = true;
}

/** Says what goes on when the command is interrupted from here on. */
export function goesOnWithout(workflowId: string): void {
  followed = workflowId;
  isStarting = false;
}

/** Rejects with `Interrupted` when the program is asked to stop; asked again, it ends at once. */
export function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    onStopSignal(() => reject(new Interrupted(followed, isStarting)), INTERRUPTED);
  });
}
