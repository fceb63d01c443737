import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** How many times longer than on two quiet cores a process takes to start here: from 1 to 10. */
    slowness: number;
  }
}

/** Milliseconds in which two quiet cores start a process that loads a worker. */
const USUAL = 2_000;
const MOST = 10;

const STARTED = fileURLToPath(new URL('../../src/worker/start-darkroom.ts', import.meta.url));

/** Measured once, before the tests: the same for all projects of a run. */
let measured: Promise<number> | undefined;

export default async function measure(project: TestProject): Promise<void> {
  measured ??= startOfProcess();
  const slowness = (await measured) / USUAL;
  project.provide('slowness', Math.min(MOST, Math.max(1, slowness)));
}

async function startOfProcess(): Promise<number> {
  const startedAt = performance.now();
  // Without what earlier runs have compiled: that would tell of them, not of the machine.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  await promisify(execFile)(process.execPath, [STARTED], { env });
  return performance.now() - startedAt;
}
