import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuOf } from '../../bench/stage/process-usage.ts';
import type { Order, Report } from '../service/caller.ts';

const PROGRAM = fileURLToPath(new URL('../service/program.ts', import.meta.url));
const NETWORK = fileURLToPath(new URL('../service/network.ts', import.meta.url));
const END_WITH_PARENT = fileURLToPath(new URL('../service/end-with-parent.ts', import.meta.url));
const WORKER = fileURLToPath(new URL('../../src/worker.ts', import.meta.url));
/** A machine that is busy with other work compiles for a while. */
const READY_WITHIN = 300_000;

/** What became of an order, by the caller's own word. `at`: ms since the epoch. */
export type Outcome = { at: number } & (
  | { kind: 'result'; bytes: number }
  | { kind: 'failure'; message: string }
);

export interface SupervisorOptions {
  /** The caller's module. */
  file: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Darkroom's worker beside it. */
  withWorker: boolean;
  /** Orders a second. */
  pace: number;
}

/**
 * Keeps a service running as a plain supervisor would: whoever was killed is started again, with the orders that it has
 * not reported yet. An order that it has reported, as a result or as a failure, is over.
 */
export class Supervisor {
  readonly outcomes = new Map<number, Outcome>();
  /** When something was last reported. */
  lastAt = Date.now();
  readonly #options: SupervisorOptions;
  readonly #given = new Map<number, Order>();
  readonly #logFile: string;
  readonly #log: WriteStream;
  #processes: ChildProcess[] = [];
  #service: ChildProcess | undefined;
  #cpuOfEnded = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#logFile = join(options.folder, 'service.log');
    this.#log = createWriteStream(this.#logFile, { flags: 'a' });
  }

  /** Starts the service, and hands it what it has not reported yet. */
  async start(): Promise<void> {
    const { file, folder, withWorker } = this.#options;
    this.#processes = [];
    if (withWorker) await this.#spawn(WORKER, [], [], (text) => / running"?/.test(text));
    this.#service = await this.#spawn(PROGRAM, [file, folder], ['--import', NETWORK]);
    await this.#hand([...this.#given.values()].filter(({ number }) => !this.outcomes.has(number)));
  }

  /** Gives it orders, at the pace of its customers. */
  async give(orders: readonly Order[]): Promise<void> {
    for (const order of orders) this.#given.set(order.number, order);
    await this.#hand(orders);
  }

  /** SIGKILL for all that the service consists of. */
  async kill(): Promise<void> {
    this.#cpuOfEnded += this.#cpuNow();
    this.#service = undefined;
    const ended = this.#processes.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    await Promise.all(ended);
    this.#processes = [];
  }

  /** Processor time of all its processes so far, milliseconds. */
  cpu(): number {
    return this.#cpuOfEnded + this.#cpuNow();
  }

  async stop(): Promise<void> {
    await this.kill();
    await new Promise<void>((resolve) => this.#log.end(resolve));
  }

  async #hand(orders: readonly Order[]): Promise<void> {
    for (const order of orders) {
      this.#service?.send(order);
      await delay(1_000 / this.#options.pace);
    }
  }

  #cpuNow(): number {
    return this.#processes.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : cpuOf(pid)), 0);
  }

  /** @param greets by which of its words a program without reports is known to be up */
  async #spawn(
    file: string,
    args: readonly string[],
    imports: readonly string[],
    greets?: (text: string) => boolean,
  ): Promise<ChildProcess> {
    const child = fork(file, args, {
      env: this.#options.env,
      execArgv: ['--disable-warning=ExperimentalWarning', '--import', END_WITH_PARENT, ...imports],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#processes.push(child);
    const up = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#log.write(chunk);
        if (greets?.(chunk.toString()) === true) up.resolve();
      });
    }
    child.on('message', (report: Report) => {
      if (report.kind === 'ready') up.resolve();
      else this.#note(report);
    });
    child.once('exit', (code) => up.reject(new Error(`${file} ended with ${code}: see ${this.#logFile}`)));
    up.promise.catch(() => {}); // its end once it was up is no failure of its start
    const late = delay(READY_WITHIN, undefined, { ref: false }).then(() => {
      throw new Error(`${file} was not up after ${READY_WITHIN / 1_000} s: see ${this.#logFile}`);
    });
    await Promise.race([up.promise, late]);
    return child;
  }

  #note({ order, ...said }: Exclude<Report, { kind: 'ready' }>): void {
    this.lastAt = Date.now();
    this.outcomes.set(order, { ...said, at: this.lastAt });
  }
}
