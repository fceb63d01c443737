import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import type { BenchOptions } from './bench-options.ts';
import { type Figure, figure } from './measure.ts';
import { progress } from './progress.ts';
import { taskQueueOf } from './stage/contenders.ts';
import { Stage } from './stage/stage.ts';

const PROGRAM = fileURLToPath(new URL('../src/starter.ts', import.meta.url));
const RUNS = { full: 1_000, quick: 50 };
const AT_ONCE = 40;
const QUERY = "ExecutionStatus = 'Failed'";

/** How long `reset --query` takes, from its start to its end, to tell what a Reset of many failed runs would buy. */
export async function run({ rounds, quick }: BenchOptions): Promise<Figure[]> {
  const runs = RUNS[quick ? 'quick' : 'full'];
  await using stage = await Stage.open();
  await stage.emulator.fault({ on: 'task', fault: { kind: 'fail', code: 'FAILED' } });
  await stage.start('darkroom');
  progress(`survey: ${runs} generations that fail`);
  await failAll(stage, runs);
  const seconds: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const took = await survey(stage, runs);
    progress(`survey: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${took.toFixed(1)} s`);
    if (round > 0) seconds.push(took);
  }
  const baseline = `${runs} failed generations; a history is read for each`;
  return [figure('survey', seconds, { unit: 'seconds', target: '<= 60', baseline })];
}

async function failAll(stage: Stage, runs: number): Promise<void> {
  const next = pLimit(AT_ONCE);
  const policy = { retries: { FAILED: { resubmissions: 0 } } };
  const one = async (): Promise<void> => {
    await stage.generation('darkroom', { policy }).catch(() => undefined); // it is to fail
  };
  await Promise.all(Array.from({ length: runs }, () => next(one)));
  // The list lags behind.
  const query = `${QUERY} AND TaskQueue = '${taskQueueOf('darkroom')}'`;
  while ((await stage.client.workflow.count(query)).count < runs) await sleep(100);
}

/** @returns the seconds that it took */
async function survey(stage: Stage, runs: number): Promise<number> {
  const { PATH, HOME } = process.env;
  const began = performance.now();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [PROGRAM, 'reset', '--query', QUERY, '--dry-run', '--json'],
    { env: { PATH, HOME, ...stage.environment('darkroom') } },
  );
  const seconds = (performance.now() - began) / 1_000;
  const receipt = JSON.parse(stdout) as { runs: number; buys: number }; // the command's own
  if (receipt.runs !== runs || receipt.buys !== runs) throw new Error(`the survey is wrong: ${stdout}`);
  return seconds;
}
