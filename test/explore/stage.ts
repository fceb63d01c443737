import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { type Emulator, startEmulator } from '../../emulator/src/index.ts';
import type { TemporalSettings } from '../../src/config/worker-config.ts';
import { type DevServer, startDevServer } from '../../src/local/temporal/dev-server.ts';
import { findServer } from '../../src/local/temporal/find-server.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { WebhookGateway } from '../chaos/webhook-gateway.ts';
import { lastingPort } from '../lasting-port.ts';
import { PROMPT } from '../setup/prompt-server.ts';
import { FAST } from '../workflows/fast-policy.ts';
import { ApiGate } from './api-gate.ts';
import { bendRecords } from './bend-records.ts';
import { Hooks } from './hooks.ts';
import { placeName } from './places.ts';
import { CAP } from './scenes.ts';
import { TEMPLATE } from './template.ts';
import type { WorkerSetup } from './worker-messages.ts';
import { WorkerProcess } from './worker-process.ts';

export interface StageOptions {
  /** How many cells play here, each at a place of its own. */
  places: number;
  /** Whether Temporal's server keeps everything when it is killed. */
  keeps?: boolean;
  /** After so many events the server suggests to continue as new. */
  longAfter?: number;
  /** Whether another deployment works for the same workspaces: a worker on another task queue, and its receiver. */
  other?: boolean;
  /** Of these the clocks are ahead by so many milliseconds. */
  ahead?: { worker?: number; receiver?: number; answers?: number; records?: number };
}

/** A Temporal server, the emulator behind a gate, and a worker with its receiver behind another: all of it for some cells. */
export interface Stage {
  client: Client & { connection: Connection };
  emulator: Emulator;
  gate: ApiGate;
  gateway: WebhookGateway;
  hooks: Hooks;
  taskQueue: string;
  /** Where somebody's own workflows run, on a worker of theirs. */
  ownQueue: string;
  /** Where the other deployment's generations run. */
  otherQueue: string;
  /** How much longer than on a machine with nothing else to do things take here now: never less than 1. */
  readonly slowness: number;
  temporal: { kill(): Promise<void>; start(): Promise<void> };
  workers: WorkerProcess[];
  /** Starts another worker; webhooks go to it from now on. */
  startWorker(): Promise<WorkerProcess>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a worker's start takes on a machine with nothing else to do (ms), and how much slower one may be. */
const USUAL_START = 3_000;
const MOST_SLOWNESS = 10;
/** What the explorer itself keeps waiting for each core. */
const OWN_LOAD = 4;

export async function openStage(options: StageOptions): Promise<Stage> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-explore-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const bent = options.ahead?.records ?? 0;
  const beforehand = placeName(options.places);
  const places = Array.from({ length: options.places }, (_, index) => placeName(index));
  if (bent !== 0) places.push(beforehand);
  const temporal = await openTemporalFor(folder, options);
  started.defer(() => temporal.kill());
  const client = await connectClient(temporal.settings);
  started.defer(() => client.connection.close());

  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const ports = [0];
  const gateway = await WebhookGateway.start(ports, bendRecords(secret, bent));
  started.defer(() => gateway.close());
  const otherPorts = [0];
  const otherGateway = await WebhookGateway.start(otherPorts);
  started.defer(() => otherGateway.close());
  const gateways = options.other === true ? [gateway, otherGateway] : [gateway];
  const keys = new Map(places.map((place) => [place, `dk_${place}_${randomBytes(8).toString('hex')}`]));
  const emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 20, run: 60 },
    webhooks: { retries: [100, 300, 1_000, ...Array.from({ length: 20 }, () => 2_000)], timeout: 6_000 },
    accounts: places.map((workspace) => ({ workspace, apiKey: keys.get(workspace) })),
    endpoints: places.flatMap((workspace) =>
      gateways.map(({ url }) => ({ workspace, url: `${url}/${workspace}`, secret })),
    ),
    templates: [{ id: TEMPLATE, name: 'a template', input: { aspect_ratio: '1:1' } }],
    log: () => undefined,
  });
  started.defer(() => emulator.close());
  const hooks = new Hooks();
  const gate = await ApiGate.start(emulator.baseUrl, hooks, {
    workflowOfTask: (taskId) => emulator.service().tasks.get(taskId)?.workflow ?? undefined,
  });
  gate.clockAhead = options.ahead?.answers ?? 0;
  started.defer(() => gate.close());

  const setup: WorkerSetup = {
    config: {
      apiUrl: gate.url,
      workspaces: places.map((place) => [
        place,
        { apiKey: keys.get(place) ?? '', webhookSecrets: [secret], legacy: 'refuse' },
      ]),
      webhook: { host: '127.0.0.1', port: 0, maxBodyBytes: 1_048_576 },
      outputs: { kind: 'folder', path: join(folder, 'outputs') },
      privateOutputs: true,
      taskQueue: `explore-${randomUUID()}`,
      models: {},
      policy: {},
      caps: places.map((place) => ({ ...CAP, name: place, workspace: place })),
      temporal: temporal.settings,
    },
    own: { taskQueue: `own-${randomUUID()}`, code: await (ownWorkflows ??= bundleOwn()) },
    worker: true,
    receiver: true,
    clockAhead: options.ahead?.worker ?? 0,
  };
  const workers: WorkerProcess[] = [];
  started.defer(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  const { receiver: receiversClock } = options.ahead ?? {};
  const startWorker = async (): Promise<WorkerProcess> => {
    const isWhole = receiversClock === undefined;
    const worker = await WorkerProcess.start({ ...setup, receiver: isWhole }, hooks);
    workers.push(worker);
    const receiver = isWhole
      ? worker
      : await WorkerProcess.start({ ...setup, worker: false, clockAhead: receiversClock }, hooks);
    if (!isWhole) started.defer(() => receiver.kill());
    ports[0] = Number(new URL(receiver.webhookUrl ?? '').port);
    return worker;
  };
  const from = performance.now();
  await startWorker();
  const atStart = (performance.now() - from) / USUAL_START;
  // A worker that has been at work knows how far that clock is behind.
  if (bent !== 0) await buyOne(client, setup.config.taskQueue, beforehand);
  const otherQueue = `other-${randomUUID()}`;
  if (options.other === true) {
    const config = { ...setup.config, taskQueue: otherQueue };
    const own = { ...setup.own, taskQueue: `own-${otherQueue}` };
    const other = await WorkerProcess.start({ ...setup, config, own }, hooks);
    started.defer(() => other.kill());
    otherPorts[0] = Number(new URL(other.webhookUrl ?? '').port);
  }
  const all = started.move();
  return {
    client,
    emulator,
    gate,
    gateway,
    hooks,
    taskQueue: setup.config.taskQueue,
    ownQueue: setup.own.taskQueue,
    otherQueue,
    get slowness() {
      const now = (loadavg()[0] ?? 0) / availableParallelism() / OWN_LOAD;
      return Math.min(MOST_SLOWNESS, Math.max(1, atStart, now));
    },
    temporal,
    workers,
    startWorker,
    async [Symbol.asyncDispose]() {
      hooks.releaseAll();
      await all.disposeAsync();
    },
  };
}

/** Buys a picture, which its event settles. */
async function buyOne(client: Client, taskQueue: string, workspace: string): Promise<void> {
  const polling = { first: '5s', factor: 1, max: '5s' };
  const request = { model: 'image-l', input: { prompt: `a lighthouse ${workspace}` }, workspace };
  await client.workflow.execute('generation', {
    taskQueue,
    workflowId: `generation/${workspace}`,
    args: [{ ...request, policy: { ...FAST, polling } }],
  });
}

/** Made once: every stage has the same. */
let ownWorkflows: Promise<string> | undefined;

async function bundleOwn(): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('own-workflow.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  return code;
}

async function openTemporalFor(
  folder: string,
  { keeps = false, longAfter }: Pick<StageOptions, 'keeps' | 'longAfter'>,
) {
  const found = await findServer({ env: { ...process.env, TEMPORAL_ADDRESS: '' } });
  if (found.kind !== 'binary') throw new Error('the explorer needs a Temporal server of its own');
  const grpc = await lastingPort();
  let server: DevServer | undefined;
  const settings: TemporalSettings = { address: `127.0.0.1:${grpc}`, namespace: 'default' };
  const start = async (): Promise<void> => {
    server = await startDevServer({
      binary: found.path,
      ui: false,
      ports: { grpc, ui: 0 },
      ...(keeps ? { databaseFile: join(folder, 'temporal.db') } : {}),
      dynamicConfig: {
        ...PROMPT,
        'frontend.namespaceRPS.visibility': 1_000,
        ...(longAfter === undefined ? {} : { 'limit.historyCount.suggestContinueAsNew': longAfter }),
      },
      env: { ...process.env, GOGC: '400' },
    });
  };
  await start();
  return { settings, start, kill: async (): Promise<void> => await server?.stop() };
}
