import './tools/own-node.js';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { defineConfig } from 'vitest/config';
import { compileCache } from './src/config/compile-cache.ts';
import { SlowFirst } from './test/setup/slow-first.ts';

/** Rooms whose tests need no Temporal server: none is started for these. */
const WITHOUT_SERVER = [
  'api',
  'compare',
  'config',
  'conformance',
  'contract',
  'deploy',
  'docs',
  'emulator',
  'operations',
  'outputs',
  'package',
  'pipeline',
  'policy',
  'schemas',
  'terminal',
  'webhooks',
].map((room) => `test/${room}/**/*.test.ts`);

/**
 * What proves little for its time, on a machine with two slow cores: long storms, mends taken out, mutants, builds in other
 * languages, packed installs, what is drawn at random, each page's commands typed, other people's examples, tables of each
 * model's output, large files, requests and histories, budgets that wait, what waits for an outage's end, and what needs a
 * browser, a process, a bundle or a server of its own for each test.
 */
const SLOW = [
  'test/ai-sdk/{ai-sdk-workflow,own-examples}.test.ts',
  'test/chaos/*storm.test.ts',
  'test/client/completions.test.ts',
  'test/e2e/{demo,dev,worker-process}.test.ts',
  'test/examples/{dev,examples,five-tasks,go,python,request-digest,typescript}.test.ts',
  'test/explore/{cells,explore,without}.test.ts',
  'test/local/temporal/dev-server.test.ts',
  'test/release/*.test.ts',
  'test/replay/mutants.test.ts',
  'test/starter/commands/{batch,command-line,pipelines,reset-many,watch}.test.ts',
  'test/starter/doctor/{faults,healthy}.test.ts',
  'test/starter/usage.test.ts',
  'test/temporal/tracing.test.ts',
  'test/testing/use-emulator.test.ts',
  'test/walk/*.test.ts',
  'test/worker/versions.test.ts',
  'test/workflow/own-worker.test.ts',
  'test/workflows/account/{budgets,caps,waits}.test.ts',
  'test/workflows/arguments/{odd-starts,random-starts}.test.ts',
  'test/workflows/batch/{batch,ended-rows}.test.ts',
  'test/workflows/callback/callback.test.ts',
  'test/workflows/generation/{broken-entity,frozen-worker,long-reruns,long-runs,outages,reset-searches,restored}.test.ts',
  'test/workflows/in-order/in-order.test.ts',
  'test/workflows/pipeline/{budget,charged,continue-as-new,deleted-steps,given-inputs,random-pipelines,reachable-outputs,rerun-overdue,sizes,slots,walls}.test.ts',
  'test/workflows/submit-pace/rate-limit.test.ts',
  'test/workflows/unclaimed-tasks/{deleted-entity,forgotten-doubt,random-claims}.test.ts',
];

/** The same of the rooms that need no server. */
const SLOW_WITHOUT_SERVER = [
  'test/conformance/{agreement,rendered}.test.ts',
  'test/conformance/exchange/exchange.test.ts',
  'test/conformance/other/*.test.ts',
  'test/emulator/config/assumptions.test.ts',
  'test/emulator/dashboard/{accessibility,dashboard}.test.ts',
  'test/emulator/media/effects.test.ts',
  'test/emulator/media/sound/speech.test.ts',
  'test/outputs/inputs/upload.test.ts',
  'test/outputs/inspection/inspector.test.ts',
  'test/webhooks/http/attacks.test.ts',
];

/** How many threads want a core now, in the mean of some tenths of a second; 0 where the system does not tell. */
async function wanting(): Promise<number> {
  const samples = 20;
  let sum = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    await delay(20);
    // Linux: "0.52 0.61 0.70 3/512 4711": three of 512 threads run or want to, this one among them.
    const told = await readFile('/proc/loadavg', 'utf8').catch(() => '');
    sum += Math.max(0, Number(/(\d+)\/\d+ \d+\s*$/.exec(told)?.[1] ?? 1) - 1);
  }
  return sum / samples;
}

/**
 * Three files to a core: most of a test's time is waiting, for the Temporal server and for timers. Fewer where others
 * keep the cores busy.
 */
async function atOnce(): Promise<number> {
  const cores = availableParallelism();
  return Math.max(2, Math.min(12, Math.round(3 * cores - Math.max(0, (await wanting()) - cores))));
}

// Once: each project reads this file anew, and they have to agree.
const filesAtOnce = (process.env['TEST_FILES_AT_ONCE'] ??= String(await atOnce()));
/** The slow ones come last, fewer at once: theirs are whole processes, bundles and browsers, which keep cores busy. */
const slowly = { maxWorkers: Math.max(2, Math.round(Number(filesAtOnce) / 2)), sequence: { groupOrder: 1 } };
// Every process of a run loads the same modules: compiled once, as for the programs.
process.env['NODE_COMPILE_CACHE'] ??= compileCache();
// The Temporal servers that tests start: less garbage collection for more memory, of which they take little.
process.env['GOGC'] ??= '400';

export default defineConfig({
  test: {
    globalSetup: ['test/setup/measure.ts'],
    setupFiles: ['test/setup/time-limits.ts', 'test/setup/open-runs.ts'],
    maxWorkers: Number(filesAtOnce),
    // Each process loads the modules that most files need once, not each file anew; and as Node does in production.
    isolate: false,
    experimental: { viteModuleRunner: false },
    sequence: { sequencer: SlowFirst },
    projects: [
      { extends: true, test: { name: 'unit', include: WITHOUT_SERVER, exclude: SLOW_WITHOUT_SERVER } },
      { extends: true, test: { name: 'slow-unit', ...slowly, include: SLOW_WITHOUT_SERVER } },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: ['test/**/*.test.ts'],
          exclude: [...WITHOUT_SERVER, ...SLOW],
          globalSetup: ['test/setup/temporal.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'slow', ...slowly, include: SLOW, globalSetup: ['test/setup/temporal.ts'] },
      },
    ],
  },
});
