import { INTERRUPTED } from '../../terminal/exit-codes.ts';
import { ownCommand } from '../own-command.ts';

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

/**
 * Rejects with `Interrupted` at the first SIGINT or SIGTERM; a second one ends the process at once. The listeners
 * stay: with them gone the live display's own one would end the process before it has answered.
 */
export function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    let isInterrupted = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isInterrupted) process.exit(INTERRUPTED);
        isInterrupted = true;
        reject(new Interrupted(followed));
      });
    }
  });
}
