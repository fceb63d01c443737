import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as the one JSON document that it is to be. */
  json: () => unknown;
}

export interface RunOptions {
  /** Sends Ctrl-C as soon as the output so far says so. */
  interruptWhen?: (output: string) => boolean;
  /** A standard stream whose reader is gone before the first line. */
  unheard?: 'stdout' | 'stderr';
}

/** Runs a program of src/ as its users do, with nothing of this process's settings, and waits for its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  { interruptWhen, unheard }: RunOptions = {},
): Promise<Ended> {
  const { PATH = '', HOME = '', DARKROOM_CACHE = '' } = process.env;
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(`../../src/${program}`, import.meta.url)), ...args],
    {
      env: { PATH, HOME, DARKROOM_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let stdout = '';
  let stderr = '';
  let interrupted = false;
  if (unheard !== undefined) child[unheard].destroy();
  const look = (): void => {
    if (interrupted || interruptWhen?.(stdout + stderr) !== true) return;
    interrupted = true;
    child.kill('SIGINT');
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    look();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    look();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr, json: () => JSON.parse(stdout) as unknown };
}

/** `npm run starter -- <args>` */
export function starter(
  args: readonly string[],
  env?: Record<string, string>,
  options?: RunOptions,
): Promise<Ended> {
  return runProgram('starter.ts', args, env, options);
}
