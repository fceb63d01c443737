import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Mutant } from '../../test/conformance/specification/row.ts';
import type { ProofsAsked } from './proofs-program.ts';
import type { TestOutcome } from './test-run.ts';

const PROGRAM = fileURLToPath(new URL('proofs-program.ts', import.meta.url));
const HOOK = new URL('mutate-on-load.ts', import.meta.url).href;
/** An endless loop is noticed, too (milliseconds). */
const LONGEST = 10 * 60_000;

/**
 * Runs the tests that are asked for in a process of their own, with a change in all of its threads and children.
 *
 * @returns how each test ended; where the process dies or does not end, one failure that is none of theirs
 */
export async function runProofs(asked: ProofsAsked, mutant?: Mutant): Promise<TestOutcome[]> {
  const { NODE_OPTIONS = '', ...env } = process.env;
  const child = fork(PROGRAM, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env:
      mutant === undefined
        ? process.env
        : {
            ...env,
            NODE_OPTIONS: `${NODE_OPTIONS} --import ${HOOK}`,
            DARKROOM_MUTANT: JSON.stringify(mutant),
          },
  });
  child.send(asked);
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST);
  try {
    return await new Promise<TestOutcome[]>((resolve) => {
      child.once('message', (outcomes) => resolve(outcomes as TestOutcome[])); // proofs-program.ts sends nothing else
      child.once('exit', (code, signal) => {
        const failure = `the process ended with ${signal ?? code}`;
        resolve([{ id: 'the process', fileName: '', at: undefined, failure, milliseconds: 0 }]);
      });
    });
  } finally {
    clearTimeout(timer);
  }
}
