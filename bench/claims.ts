import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { type Emulator, startEmulator } from '../emulator/src/server.ts';
import { isRecord } from '../src/api/json/is-record.ts';
import type { GenerationResult } from '../src/contract/generation.ts';
import { entityId } from '../src/contract/workflow-ids.ts';
import { openTemporal } from '../src/local/temporal/open-temporal.ts';
import { connectClient } from '../src/temporal/connection.ts';
import type { EventSink } from '../src/temporal/event-sink.ts';
import { readHistory } from '../src/temporal/history.ts';
import { createTemporalSink } from '../src/temporal/temporal-sink.ts';
import { type Figure, figure } from './measure.ts';

const FOREIGN = 20_000;
/** Some 30 times the everyday load of a busy workspace, which is 100,000 a day. */
const PER_SECOND = 40;
/** Beside our own generations, which take most of what the machine has. */
const PER_SECOND_TOGETHER = 20;
const OWN = 2_000;
const OWN_PER_SECOND = 4;
/** What a generation that loses nothing costs a worker, in seconds of a core; measured on two shared cores. */
const GENERATION_CPU = 0.051;
const API_KEY = 'bench';
const TASK_QUEUE = 'bench';
/** Clock ticks of `/proc/<pid>/stat`. */
const TICKS = 100;
const SECOND = 1_000;

/**
 * A soak of `unclaimed-tasks`: 20,000 foreign tasks with long prompts through one workspace, the second half of them
 * together with 2,000 generations that lose the answers to their submits. Takes a quarter of an hour. Linux only.
 */
export async function run(): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  const temporal = await openTemporal({ ui: false, ports: { grpc: 0, ui: 0 } });
  cleanup.defer(() => temporal.stop());
  const emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 50, run: 300 },
    accounts: [{ workspace: 'default', apiKey: API_KEY, credits: { permanent: 1e6, subscription: 0 } }],
    faults: [{ on: 'submit', match: { promptIncludes: 'own' }, fault: { kind: 'lost-after' } }],
  });
  cleanup.defer(() => emulator.close());
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const client = await connectClient({ address: temporal.address, namespace: temporal.namespace });
  cleanup.defer(() => client.connection.close());
  const worker = await startWorker(temporal.address, emulator.baseUrl, folder);
  cleanup.defer(() => stop(worker));
  const sink = createTemporalSink({ client, taskQueue: TASK_QUEUE });

  console.error(`${FOREIGN / 2} foreign tasks, ${PER_SECOND} a second …`);
  const alone = await cpuShare(worker, () => tellForeign(sink, FOREIGN / 2, PER_SECOND));
  console.error(`as many again, and ${OWN} generations that lose an answer …`);
  const from = Date.now();
  const together = await cpuShare(worker, async () => {
    const told = tellForeign(sink, FOREIGN / 2, PER_SECOND_TOGETHER);
    await loseAnswers(client, emulator, sink);
    await told;
  });
  const seconds = (Date.now() - from) / SECOND;
  const ended = await resultsOf(client);
  const bought = emulator.service().ledger.charges({}).length;
  const adopted = ended.filter(
    ({ attempts }) => attempts.length === 1 && attempts[0]?.adopted === true,
  ).length;
  const { largest, runs } = await largestPayload(client);
  const baseline = `${FOREIGN} foreign tasks at ${PER_SECOND}/s and ${PER_SECOND_TOGETHER}/s through ${runs} runs of the entity`;
  return [
    figure('claims.cpu', [alone], { unit: 'of a core, foreign tasks alone', target: '<= 0.1', baseline }),
    figure('claims.cpu-with-generations', [together], {
      unit: 'of a core, the whole worker',
      baseline: `the same, with ${OWN} generations from their submits to their stored files`,
    }),
    figure('claims.cpu-beside-generations', [together - (OWN * GENERATION_CPU) / seconds], {
      unit: 'of a core',
      target: '<= 0.1',
      baseline: `the same, less ${GENERATION_CPU * SECOND} ms for each generation, which is what one costs a worker without claims`,
    }),
    figure('claims.payload', [largest / 1_024], { unit: 'KiB, the largest', target: '<= 195', baseline }),
    figure('claims.adopted', [adopted], {
      unit: 'generations',
      target: `>= ${OWN}`,
      baseline: `${OWN} lost answers`,
    }),
    figure('claims.charges', [bought], {
      unit: 'charges',
      target: `<= ${OWN}`,
      baseline: `${OWN} generations`,
    }),
  ];
}

/** Tells of tasks that are none of ours, evenly. */
async function tellForeign(sink: EventSink, count: number, perSecond: number): Promise<void> {
  const told: Promise<void>[] = [];
  const began = Date.now();
  for (let n = 0; n < count; n += 1) {
    const late = began + (n * SECOND) / perSecond - Date.now();
    if (late > 0) await delay(late);
    const input = {
      prompt: `foreign ${randomUUID()} ${'a long prompt '.repeat(60)}`,
      n: 1,
      resolution: '2K',
    };
    const createdAt = new Date().toISOString();
    const task = { taskId: randomUUID(), webhookId: randomUUID(), input, createdAt, receivedAt: Date.now() };
    told.push(tell(sink, task));
  }
  await Promise.all(told);
}

/** At least once, as events are delivered. */
async function tell(sink: EventSink, task: Parameters<EventSink['unclaimed']>[1]): Promise<void> {
  for (;;) {
    try {
      await sink.unclaimed('default', task, undefined);
      return;
    } catch {
      await delay(SECOND);
    }
  }
}

/** Generations whose answers get lost, some a second; each task is told of as an event would tell. */
async function loseAnswers(client: Client, emulator: Emulator, sink: EventSink): Promise<void> {
  const told = new Map<string, Promise<void>>();
  const tellOfNew = (): void => {
    for (const { taskId } of emulator.service().ledger.charges({})) {
      const task = emulator.service().tasks.get(taskId);
      if (task === undefined || told.has(taskId)) continue;
      const createdAt = new Date(task.createdAt).toISOString();
      const { input } = task;
      const notice = { taskId, webhookId: taskId, input, createdAt, receivedAt: Date.now() };
      told.set(taskId, tell(sink, notice));
    }
  };
  const began = Date.now();
  for (let n = 0; n < OWN; n += 1) {
    await client.workflow.start('generation', {
      taskQueue: TASK_QUEUE,
      workflowId: ownId(n),
      args: [{ model: 'image-l', input: { prompt: `own ${n}` } }],
    });
    await delay(Math.max(1, began + ((n + 1) * SECOND) / OWN_PER_SECOND - Date.now()));
    if (n % OWN_PER_SECOND === 0) tellOfNew();
  }
  while (told.size < OWN) {
    await delay(500);
    tellOfNew();
  }
  await Promise.all(told.values());
}

const ownId = (n: number): string => `generation/own-${n}`;

/** A few at a time: each that is waited for is a call that stays open. */
async function resultsOf(client: Client): Promise<GenerationResult[]> {
  const results: GenerationResult[] = [];
  for (let n = 0; n < OWN; n += 1) {
    const handle = client.workflow.getHandle<(request: unknown) => Promise<GenerationResult>>(ownId(n));
    results.push(await handle.result());
  }
  return results;
}

/** The worker as it is, without a receiver. */
async function startWorker(address: string, apiUrl: string, folder: string): Promise<ChildProcess> {
  const config = join(folder, 'darkroom.json');
  await writeFile(config, JSON.stringify({ policy: { polling: { first: '1s', factor: 2, max: '10s' } } }));
  const program = fileURLToPath(new URL('../src/worker.ts', import.meta.url));
  const worker = spawn(process.execPath, [program, '--no-receiver'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      LOG_LEVEL: 'warn',
      TEMPORAL_ADDRESS: address,
      DARKROOM_API_URL: apiUrl,
      DARKROOM_API_KEY: API_KEY,
      DARKROOM_TASK_QUEUE: TASK_QUEUE,
      DARKROOM_OUTPUTS: folder,
      DARKROOM_PRIVATE_OUTPUTS: 'allow',
      DARKROOM_CONFIG: config,
    },
  });
  await delay(8 * SECOND); // what it takes to start is none of the measurement's
  return worker;
}

async function stop(worker: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.kill('SIGTERM');
  await ended;
}

/** Of one core, while `work` is done. */
async function cpuShare(worker: ChildProcess, work: () => Promise<void>): Promise<number> {
  const began = Date.now();
  const before = cpuSeconds(worker);
  await work();
  return ((cpuSeconds(worker) - before) * SECOND) / (Date.now() - began);
}

function cpuSeconds({ pid = 0 }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** In the histories of all runs of the entity, in bytes. */
async function largestPayload(client: Client): Promise<{ largest: number; runs: number }> {
  const workflowId = entityId('unclaimed-tasks', 'default', TASK_QUEUE);
  let largest = 0;
  let runs = 0;
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    runs += 1;
    const events = await readHistory(client, workflowId, runId);
    for (const event of events ?? []) largest = Math.max(largest, ...payloadsIn(event));
  }
  return { largest, runs };
}

function* payloadsIn(value: unknown): Iterable<number> {
  if (!isRecord(value) && !Array.isArray(value)) return;
  if (isRecord(value) && value['data'] instanceof Uint8Array) yield value['data'].length;
  else if (!(value instanceof Uint8Array)) for (const inner of Object.values(value)) yield* payloadsIn(inner);
}
