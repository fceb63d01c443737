import { createInterface } from 'node:readline';
import { spawnSupervised } from '../../src/local/temporal/supervised-process.ts';
import { cpuOf, proportionalOf, residentOf } from './process-usage.ts';

/** A process that is measured, with all below it. */
export interface Measured {
  /** Processor time used so far, in milliseconds. */
  cpu(): number;
  /** Resident memory of each process, in MB, the largest first. */
  resident(): number[];
  /** Proportional memory of all together, in MB. */
  proportional(): number;
}

/** A program of its own, up and running. */
export interface Program extends Measured {
  /** The line with which it said that it runs. */
  greeting: string;
  stop(): Promise<void>;
}

const LAST_LINES = 20;

/**
 * Starts a program on this Node and waits until it says that it runs.
 *
 * @param args its file first
 * @param greets picks the line of either stream by which it says so
 * @throws Error with its last lines when it ends before
 */
export async function startProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  greets: (line: string) => boolean,
): Promise<Program> {
  const child = spawnSupervised(process.execPath, args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stopSignal: 'KILL',
  });
  const lines: string[] = [];
  const greeting = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (lines.length > LAST_LINES) lines.shift();
        if (greets(line)) resolve(line);
      });
    }
    void child.ended.then(({ code }) =>
      reject(new Error(`${args[0]} ended with code ${code}\n${lines.join('\n')}`)),
    );
  });
  return {
    ...measuredProcess(child.pid ?? 0), // it runs, so it has one
    greeting,
    async stop() {
      await child.stop();
    },
  };
}

export function measuredProcess(pid: number): Measured {
  return {
    cpu: () => cpuOf(pid),
    resident: () => residentOf(pid),
    proportional: () => proportionalOf(pid),
  };
}
