import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const SUPERVISE = fileURLToPath(new URL('supervise.sh', import.meta.url));

export interface Ending {
  /** The exit code; a shell's 128 + n where signal n ended the command. Null when it could not be run at all. */
  code: number | null;
  /** Why it could not be run (no such folder, no shell). */
  error?: Error;
}

export interface SupervisedProcess {
  /** Of the process at the top of all that was started; undefined where it could not be run at all. */
  readonly pid: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles once the command has ended and its output was read; never rejects. */
  readonly ended: Promise<Ending>;
  /** Stops the command and waits for its end. Harmless when repeated, or when it has ended. */
  stop(): Promise<Ending>;
  /** From now on this process may end while the command runs (which then is stopped too). */
  unref(): void;
}

export interface SupervisedOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** What the command gets first; SIGKILL follows after five seconds. */
  stopSignal: 'TERM' | 'KILL';
}

/**
 * Starts a command that is stopped when this process ends, in whatever way it ends, SIGKILL included (see
 * supervise.sh). It runs in a process group of its own, so Ctrl-C in a terminal reaches only this process, which can
 * then shut down in its own order. On Windows there is no such shell: there the command is stopped on ordinary
 * exits only.
 */
export function spawnSupervised(
  command: string,
  args: readonly string[],
  options: SupervisedOptions,
): SupervisedProcess {
  const { stopSignal, ...spawnOptions } = options;
  const windows = process.platform === 'win32';
  const child = windows
    ? spawn(command, args, spawnOptions)
    : spawn('/bin/sh', [SUPERVISE, stopSignal, command, ...args], { ...spawnOptions, detached: true });
  const killOnExit = () => child.kill();
  if (windows) process.once('exit', killOnExit);

  const ended = new Promise<Ending>((resolve) => {
    child.once('error', (error) => resolve({ code: null, error }));
    child.once('close', (code) => resolve({ code }));
  }).finally(() => process.off('exit', killOnExit));
  // The far end may be gone by the time that we close ours.
  child.stdin.on('error', () => {});

  // spawn's types say Readable and Writable; its pipes are sockets (node:child_process), which have ref and unref.
  const pipes = [child.stdin, child.stdout, child.stderr] as unknown as Socket[];
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    stop() {
      child.ref();
      for (const pipe of pipes) pipe.ref();
      if (windows) child.kill();
      else child.stdin.end();
      return ended;
    },
    unref() {
      child.unref();
      for (const pipe of pipes) pipe.unref();
    },
  };
}
