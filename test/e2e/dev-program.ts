import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { patience } from '../patience.ts';

const PROGRAM = fileURLToPath(new URL('../../src/local/main.ts', import.meta.url));

export interface Dev {
  /** All that it has printed by now. */
  readonly output: string;
  /** The variables that it tells other terminals to set. */
  exported: Record<string, string>;
  /** Ctrl-C. @returns the exit code */
  stop(): Promise<number | null>;
  /** Ends it however it is; harmless when it has ended. */
  kill(): void;
}

/** `npm run dev` in a folder, up or ended already. */
export async function startDevProgram(
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Dev> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [PROGRAM, 'dev', ...args], {
    cwd: folder,
    env: { PATH, HOME, ...env },
  });
  const closed = once(child, 'close');
  const kill = (): void => void child.kill('SIGKILL');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const isUp = vi.waitUntil(() => output.includes('lighthouse.json\n'), {
    timeout: patience(60_000),
    interval: 20,
  });
  await Promise.race([isUp, closed]).catch((error: unknown) => {
    kill();
    throw error;
  });
  return {
    get output() {
      return output;
    },
    exported: Object.fromEntries(
      [...output.matchAll(/^ {2}export (\w+)=(.*)$/gm)].map((found) => found.slice(1)),
    ),
    stop: async () => {
      child.kill('SIGINT');
      const [code] = (await closed) as [number | null]; // what `close` comes with
      return code;
    },
    kill,
  };
}
