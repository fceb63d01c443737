import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { CODE } from '../../package/built.ts';
import type { FromInspection, InspectionJob, ToInspection } from './inspection-messages.ts';
import type { MediaFacts, MediaSource } from './media-facts.ts';
import type { MediaFormat } from './media-format.ts';

const PROGRAM = fileURLToPath(new URL(`inspection-main${CODE}`, import.meta.url));
const START_LIMIT = 30_000;
/** Bytes of one file that are read for its inspection, in all and at a time. */
const MAX_GIVEN = 64 * 1024 * 1024;
const MAX_READ = 8 * 1024 * 1024;
/** Of them, those that go along with the job. */
export const FIRST_BYTES = 64 * 1024;

export interface InspectionAnswer {
  /** Null: nothing was found out. */
  found: MediaFacts | MediaFormat | null;
  /** Whether it was ended over the file: `found` is what it had told by then. */
  ended: boolean;
}

/** A process that looks into files, one at a time (see inspection-main.ts). It does not keep this one alive. */
export class InspectionProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** @throws Error with what the process said when it does not come up */
  static async start(): Promise<InspectionProcess> {
    const child = fork(PROGRAM, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
      env: {}, // no secret is anywhere near what strangers sent
    });
    let said = '';
    child.stderr?.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-2_000)));
    child.on('error', (error) => (said ||= error.message)); // a message to a process that has just ended, too
    const started = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT);
      const settle = (ready: boolean) => () => {
        clearTimeout(timer);
        resolve(ready);
      };
      child.once('message', settle(true)).once('exit', settle(false)).once('error', settle(false));
    });
    if (!started) throw new Error(`the process that looks into media files did not start: ${said.trim()}`);
    const process = new InspectionProcess(child);
    process.#keepAlive(false);
    return process;
  }

  /** Whether it can take another file. */
  get alive(): boolean {
    return this.#child.connected && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Does a job, within the bounds on time, memory and bytes.
   *
   * @param limit milliseconds that it may take, the reading included
   * @throws only what `source.read` throws
   */
  async work(kind: InspectionJob['kind'], source: MediaSource, limit: number): Promise<InspectionAnswer> {
    const { size } = source;
    const child = this.#child;
    const failures: unknown[] = [];
    let given = 0;
    const give = async (start: number, length: number): Promise<Uint8Array | null> => {
      given += length;
      if (length > MAX_READ || given > MAX_GIVEN) return null;
      return await source.read(start, start + length).catch((error: unknown) => {
        failures.push(error);
        return null;
      });
    };
    this.#keepAlive(true);
    const timer = setTimeout(() => child.kill('SIGKILL'), limit);
    const ended = Promise.withResolvers<InspectionAnswer>();
    let soFar: MediaFacts | null = null;
    const onExit = (): void => ended.resolve({ found: soFar, ended: true });
    const onMessage = (message: FromInspection): void => {
      if (message.kind === 'done') ended.resolve({ found: message.answer, ended: false });
      if (message.kind === 'so far') soFar = message.answer;
      if (message.kind !== 'read') return;
      const { id, start, end } = message;
      void give(start, Math.min(end, size) - start).then((bytes) => this.#send({ kind: 'bytes', id, bytes }));
    };
    child.on('message', onMessage).on('exit', onExit);
    // Nobody waits for it: whatever keeps it, the limit ends the job. Where it fails, the same read is asked for and tells.
    void give(0, Math.min(FIRST_BYTES, size)).then((head) =>
      this.#send({ kind, head: head ?? new Uint8Array(), size }),
    );
    const answer = await ended.promise;
    clearTimeout(timer);
    child.off('message', onMessage).off('exit', onExit);
    this.#keepAlive(false);
    if (failures.length > 0) throw failures[0];
    return answer;
  }

  /** Ends it by itself: it does so when nobody is connected any more. */
  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #send(message: ToInspection): void {
    if (this.#child.connected) this.#child.send(message, () => undefined); // its end is heard as `exit`
  }

  #keepAlive(wanted: boolean): void {
    // A pipe to a child is a socket (node:child_process); the types say Readable.
    const parts = [this.#child, this.#child.channel, this.#child.stderr as Socket | null];
    for (const part of parts) {
      if (wanted) part?.ref();
      else part?.unref();
    }
  }
}
