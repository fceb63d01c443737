import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../config/worker-config.ts';
import { USAGE } from '../terminal/exit-codes.ts';
import { outliveReaders } from '../terminal/outlive-readers.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';

/** Milliseconds for the rest of a program whose worker has broken; submits in flight have so long. */
const LAST = 100_000;

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
    } catch (broken) {
      // What cannot be stopped any more does not keep the process, nor what it has failed with from being said.
      await Promise.race([running.stop().catch(() => undefined), sleep(LAST)]);
      throw broken;
    }
    await running.stop();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof ConfigError ? USAGE : 1);
  }
}
