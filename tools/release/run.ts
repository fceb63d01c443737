import { spawn } from 'node:child_process';

interface RunOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Whether what it wrote to standard error is returned, too. */
  errors?: true;
}

/** A program with nothing of this one's npm in its environment: npm tells scripts about the package that runs them. */
export function strangersEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !/^npm_(?:package|lifecycle|command|execpath|config_local)|^NODE_OPTIONS$|^INIT_CWD$|^VITEST|^DARKROOM_(?!CACHE)|^TEMPORAL_/.test(
          name,
        ),
    ),
  );
}

/**
 * Runs a program to its end.
 *
 * @returns what it wrote to standard output
 * @throws Error with all that it wrote, where it fails
 */
export function run(
  program: string,
  args: readonly string[],
  { cwd, env = strangersEnvironment(), errors }: RunOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
      });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(errors ? texts.stdout + texts.stderr : texts.stdout);
      else
        reject(new Error(`${program} ${args.join(' ')} ended with ${code}\n${texts.stdout}${texts.stderr}`));
    });
  });
}
