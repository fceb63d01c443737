import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../config/worker-config.ts';
import { ownProgram } from '../package/own-command.ts';
import { TemporalUnreachable } from '../temporal/temporal-unreachable.ts';
import { INTERRUPTED, USAGE } from '../terminal/exit-codes.ts';
import { outliveReaders } from '../terminal/outlive-readers.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { CleanupStack } from '../worker/cleanup-stack.ts';
import { EnvironmentError } from './emulator.ts';

/** Longest that the parts may take to stop in order; ending the process ends all of them anyway. */
const STOP_WITHIN = 8_000;

/**
 * Runs `work` and ends the process with its exit code. Whatever happens (an error, Ctrl-C at any moment), what was put
 * on the stack is stopped first; a second Ctrl-C does not wait for that. An error is its message, without a stack.
 *
 * @param whenInterrupted the exit code then: 0 for what runs until it is interrupted
 */
export async function runLocal(
  work: (cleanup: CleanupStack) => Promise<void>,
  whenInterrupted: number = INTERRUPTED,
): Promise<never> {
  outliveReaders();
  const cleanup = new CleanupStack();
  const interrupted = new Promise<number>((resolve) => {
    onStopSignal(() => resolve(whenInterrupted), INTERRUPTED);
  });
  const done = work(cleanup).then(() => 0, report);
  const exitCode = await Promise.race([done, interrupted]);
  await Promise.race([cleanup.disposeAsync().catch(report), delay(STOP_WITHIN, undefined, { ref: false })]);
  process.exit(exitCode);
}

/** Prints an error for people. @returns the exit code */
function report(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  const own =
    error instanceof TemporalUnreachable && process.env['TEMPORAL_ADDRESS']
      ? `\n  or unset TEMPORAL_ADDRESS: ${ownProgram('demo')} and ${ownProgram('dev')} then bring a server of their own`
      : '';
  process.stderr.write(`${message}${own}\n`);
  return error instanceof ConfigError || error instanceof EnvironmentError ? USAGE : 1;
}
