import { spawn } from 'node:child_process';
import type { World } from '../workflows/world.ts';

export interface Ended {
  code: number | null;
  /** What it was ended by, where that was a signal. */
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, whatever that is. One that cannot be started ends with null. */
export function ended(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; onStderr?: (text: string) => void } = {},
): Promise<Ended> {
  const { onStderr, ...spawned } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...spawned, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (texts.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      texts.stderr += text;
      onStderr?.(texts.stderr);
    });
    child.once('error', ({ message }) =>
      resolve({ code: null, signal: null, stdout: texts.stdout, stderr: message }),
    );
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }));
  });
}

/** What a program of another language needs to find Darkroom's workers. */
export function environmentOf({ config }: World): NodeJS.ProcessEnv {
  return {
    ...process.env,
    TEMPORAL_ADDRESS: config.temporal.address,
    TEMPORAL_NAMESPACE: config.temporal.namespace,
    DARKROOM_TASK_QUEUE: config.taskQueue,
  };
}
