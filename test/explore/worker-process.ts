import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Hooks } from './hooks.ts';
import type { FromWorker, ToWorker, Visibility, WorkerSetup } from './worker-messages.ts';

const PROGRAM = fileURLToPath(new URL('worker.ts', import.meta.url));
const STARTS_WITHIN = 240_000;

/** A worker in a process of its own, which can be killed and frozen. */
export class WorkerProcess {
  readonly webhookUrl: string | undefined;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, webhookUrl: string | undefined) {
    this.#child = child;
    this.webhookUrl = webhookUrl;
  }

  static async start(setup: WorkerSetup, hooks: Hooks): Promise<WorkerProcess> {
    const child = fork(PROGRAM, [], { execArgv: [], serialization: 'advanced' });
    const stop = (): void => void child.kill('SIGKILL');
    process.once('exit', stop);
    child.once('exit', () => process.off('exit', stop));
    const send = (message: ToWorker): void => {
      if (child.connected) child.send(message, () => undefined);
    };
    const running = new Promise<string | undefined>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error('a worker did not start within four minutes')),
        STARTS_WITHIN,
      );
      child.on('message', (message: FromWorker) => {
        if (message.kind === 'hello') send({ kind: 'setup', setup });
        else if (message.kind === 'running') resolve(message.webhookUrl);
        else if (message.kind === 'failed') reject(new Error(message.message));
        else void hooks.pass(message.point).then(() => send({ kind: 'go on', id: message.id }));
        if (message.kind === 'running') clearTimeout(late);
      });
      child.once('exit', (code) => {
        clearTimeout(late);
        reject(new Error(`a worker ended with ${code}`));
      });
    });
    return new WorkerProcess(child, await running);
  }

  visibility(is: Visibility): void {
    const message: ToWorker = { kind: 'visibility', is };
    this.#child.send(message);
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}
