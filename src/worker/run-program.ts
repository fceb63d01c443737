import { ConfigError } from '../config/worker-config.ts';
import { USAGE } from '../terminal/exit-codes.ts';
import { outliveReaders } from '../terminal/outlive-readers.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';

/** Something that runs until it is stopped. */
export interface Running {
  failed: Promise<never>;
  stop(): Promise<void>;
}

/**
 * Runs a program until it is asked to stop, then stops it in order; asked again, it ends at once. An
 * error is one message without a stack trace and an exit code that is not zero.
 */
export async function runProgram(start: () => Promise<Running>): Promise<void> {
  outliveReaders();
  try {
    const asked = new Promise<void>((resolve) => onStopSignal(resolve, 1));
    const running = await start();
    try {
      await Promise.race([asked, running.failed]);
    } finally {
      await running.stop();
    }
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof ConfigError ? USAGE : 1);
  }
}
