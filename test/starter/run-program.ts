import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { compileCache } from '../../src/config/compile-cache.ts';
import { runStarter } from '../../src/starter/program.ts';
import { STOP_SIGNALS } from '../../src/terminal/stop-signals.ts';

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
  /** Sends Ctrl-C then. */
  interruptAfter?: Promise<unknown>;
  /** A standard stream whose reader is gone before the first line. */
  unheard?: 'stdout' | 'stderr';
}

/** What is set for a program: nothing of this process's settings. */
function surroundings(): Record<string, string> {
  const { PATH = '', HOME = '', DARKROOM_CACHE = '' } = process.env;
  return { PATH, HOME, DARKROOM_CACHE, NODE_COMPILE_CACHE: compileCache() };
}

/** Runs a program of src/ as its users do, with nothing of this process's settings, and waits for its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  { interruptWhen, interruptAfter, unheard }: RunOptions = {},
): Promise<Ended> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(`../../src/${program}`, import.meta.url)), ...args],
    {
      env: { ...surroundings(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let stdout = '';
  let stderr = '';
  let interrupted = false;
  if (unheard !== undefined) child[unheard].destroy();
  void interruptAfter?.then(() => child.kill('SIGINT'));
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

/**
 * The same command line in this process, which spares the start of another one: for tests of many commands, one after
 * the other. What is special about a program's start and end is not in it.
 */
export async function starterHere(args: readonly string[], env?: Record<string, string>): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += text.toString();
      return true;
    }),
  );
  const listeners = STOP_SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const own = process.env;
  process.env = { ...surroundings(), ...env };
  try {
    const code = await runStarter(args);
    return { code, ...written, json: () => JSON.parse(written.stdout) as unknown };
  } finally {
    process.env = own;
    for (const spy of spies) spy.mockRestore();
    for (const [signal, before] of listeners)
      for (const one of process.listeners(signal)) if (!before.includes(one)) process.off(signal, one);
  }
}
