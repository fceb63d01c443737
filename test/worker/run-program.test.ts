import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { patience } from '../patience.ts';

const MODULE = new URL('../../src/worker/run-program.ts', import.meta.url).href;

it('a program whose worker has broken ends with a failure, also where it cannot be stopped in order', () => {
  const program = `
    const { runProgram } = await import(${JSON.stringify(MODULE)});
    setInterval(() => undefined, 1_000); // something keeps the process
    await runProgram(async () => ({
      failed: Promise.reject(new Error('a worker has broken')),
      stop: () => Promise.reject(new Error('there is nothing left to stop')),
    }));`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: patience(30_000),
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'a worker has broken\n' });
});
