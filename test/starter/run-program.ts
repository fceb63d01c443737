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

/** Runs a program of src/ as its users do, with nothing of this process's settings, and waits for its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  { interruptWhen }: { interruptWhen?: (output: string) => boolean } = {},
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
  const look = (): void => {
    if (interruptWhen?.(stdout + stderr) === true) child.kill('SIGINT');
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
export function starter(args: readonly string[], env?: Record<string, string>): Promise<Ended> {
  return runProgram('starter.ts', args, env);
}
