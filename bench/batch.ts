import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BenchOptions } from './bench-options.ts';
import { type Figure, figure } from './measure.ts';
import { progress } from './progress.ts';
import { Stage } from './stage/stage.ts';

const PROGRAM = fileURLToPath(new URL('../src/starter.ts', import.meta.url));
const KILLS = 5;
/** Rows, unless the variable BENCH_ROWS says otherwise. */
const ROWS = { full: 10_000, quick: 300 };
/** A busy machine is no lost worker; and nobody is there to decide. */
const POLICY = {
  submit: { timeout: '2m', heartbeat: '90s' },
  reconcile: { otherwise: 'resubmit' },
  deadline: '2h',
};

/**
 * A batch of many rows whose caller is killed five times and called again: that every row has its result, that none is
 * bought twice, how quick it is, and how long a history gets.
 */
export async function run({ quick }: BenchOptions): Promise<Figure[]> {
  const rows = Number(process.env['BENCH_ROWS'] ?? ROWS[quick ? 'quick' : 'full']);
  await using stage = await Stage.open({ durations: { queue: 20, run: 200 } });
  await stage.start('darkroom');
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-batch-'));
  try {
    const steps = { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } };
    await writeFile(join(folder, 'pipeline.json'), JSON.stringify({ steps, policy: POLICY }));
    const lines = Array.from({ length: rows }, (_, index) => JSON.stringify({ prompt: `view ${index}` }));
    await writeFile(join(folder, 'rows.jsonl'), lines.join('\n'));
    const began = performance.now();
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await call(stage, folder, Math.floor((100 * kill) / (KILLS + 1)));
      progress(`killed the caller ${kill} times, ${Math.round((performance.now() - began) / 1_000)} s`);
    }
    await call(stage, folder);
    const seconds = (performance.now() - began) / 1_000;
    const results = (await readFile(join(folder, 'rows.results.jsonl'), 'utf8')).trimEnd().split('\n');
    const completed = results.filter(
      (line) => (JSON.parse(line) as { status: string }).status === 'COMPLETED',
    ).length;
    const bought = await stage.emulator.countTasks();
    const baseline = `${rows} rows, the caller killed ${KILLS} times`;
    return [
      figure('batch', [rows / seconds], { unit: 'rows a second', baseline }),
      figure('batch.results', [completed], { unit: 'completed rows', target: `= ${rows}`, baseline }),
      figure('batch.bought-twice', [bought - rows], { unit: 'tasks', target: '= 0', baseline }),
      figure('batch.history', [await longestHistory(stage)], {
        unit: 'events of the longest run',
        target: '< 5000',
        baseline,
      }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param killAt percent of the rows at which the caller is killed; to its end when undefined */
async function call(stage: Stage, folder: string, killAt = Infinity): Promise<void> {
  const { PATH, HOME } = process.env;
  const args = [PROGRAM, 'run', 'pipeline.json', '--for-each', 'rows.jsonl', '--concurrency', '20', '--json'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH, HOME, ...stage.environment('darkroom') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    const [, percent = '0'] = /(\d+) % of/.exec(line) ?? [];
    if (Number(percent) >= killAt) child.kill('SIGKILL');
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (killAt === Infinity && code !== 0) throw new Error(`the batch ended with code ${code}`);
}

async function longestHistory({ client }: Stage): Promise<number> {
  let longest = 0;
  for await (const { historyLength } of client.workflow.list({ query: "WorkflowType = 'batch'" }))
    longest = Math.max(longest, historyLength);
  return longest;
}
