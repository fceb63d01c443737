import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type SupervisedProcess, spawnSupervised } from '../../src/local/temporal/supervised-process.ts';
import { freezeProcess } from './freeze-process.ts';

const AGAIN_AFTER = 300;

/**
 * A program that is kept running, as an orchestrator would: whoever ends is started again. It ends with the storm,
 * however that ends.
 */
export class Program {
  readonly #arguments: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: WriteStream;
  #process: SupervisedProcess | undefined;
  #wanted = false;
  #gentle = false;
  #loop: Promise<void> = Promise.resolve();

  /** @param logFile takes what it says on both streams */
  constructor(arguments_: readonly string[], env: NodeJS.ProcessEnv, logFile: string) {
    this.#arguments = arguments_;
    this.#env = env;
    this.#log = createWriteStream(logFile, { flags: 'a' });
  }

  /** @param gentle how this incarnation is stopped: by SIGTERM, else by SIGKILL */
  start(gentle = false): void {
    this.#wanted = true;
    this.#gentle = gentle;
    this.#loop = this.#loop.then(() => this.#run());
  }

  /** Ends it, and waits until it has. */
  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#process?.stop();
    await this.#loop;
  }

  async restart(nextGentle = false): Promise<void> {
    await this.stop();
    this.start(nextGentle);
  }

  /** Stops it in its tracks for some milliseconds. @returns whether it was there */
  async freeze(milliseconds: number): Promise<boolean> {
    return await freezeProcess(this.#process?.pid, milliseconds);
  }

  async close(): Promise<void> {
    await this.stop();
    await new Promise<void>((resolve) => this.#log.end(resolve));
  }

  async #run(): Promise<void> {
    while (this.#wanted) {
      const child = spawnSupervised(process.execPath, this.#arguments, {
        env: this.#env,
        stopSignal: this.#gentle ? 'TERM' : 'KILL',
      });
      this.#process = child;
      this.#log.write(`--- started ${new Date().toISOString()}\n`);
      child.stdout.pipe(this.#log, { end: false });
      child.stderr.pipe(this.#log, { end: false });
      const { code } = await child.ended;
      this.#log.write(`--- ended with ${code} ${new Date().toISOString()}\n`);
      if (this.#wanted) await delay(AGAIN_AFTER);
    }
  }
}
