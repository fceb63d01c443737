import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { compileCache } from '../../src/config/compile-cache.ts';
import { type DevServer, startDevServer } from '../../src/local/temporal/dev-server.ts';
import { findServer } from '../../src/local/temporal/find-server.ts';
import type { Cap } from '../../src/policy/caps.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { lastingPort } from '../lasting-port.ts';
import { EmulatorControl } from './emulator-control.ts';
import { faultRules } from './fault-rules.ts';
import { freezeProcess } from './freeze-process.ts';
import { WORKERS } from './plan-disturbances.ts';
import { Program } from './program.ts';
import { SUBMIT_TIMEOUT, stormPolicy } from './storm-policy.ts';
import type { StormSize } from './storm-size.ts';
import { WebhookGateway } from './webhook-gateway.ts';
import type { MendName } from './without/mends.ts';

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const WORKER = program('../../src/worker.ts');
/** With what no configuration has: see worker.ts. */
const STORM_WORKER = program('worker.ts');

const { TaskQueueType } = proto.temporal.api.enums.v1;

export const TASK_QUEUE = 'storm';
/** What tasks fail with that are not charged in the end. */
const REFUNDED = ['PROVIDER_UNAVAILABLE', 'TIMEOUT'] as const;

/** All the processes of a storm, each of them real. */
export interface Stage {
  client: Client & { connection: Connection };
  emulator: EmulatorControl;
  gateway: WebhookGateway;
  workers: readonly Program[];
  receiver: Program;
  temporal: { stop(): Promise<void>; start(): Promise<void>; freeze(milliseconds: number): Promise<boolean> };
  apiKey: string;
  outputs: string;
  close(): Promise<void>;
}

export interface StageOptions {
  seed: number;
  size: StormSize;
  /** What the workers lack: see without/. */
  without?: MendName | undefined;
  /** Their caps, also by the minute. */
  caps: readonly Cap[];
  /** Where everything is written: databases, outputs, logs. */
  folder: string;
}

/**
 * Starts the emulator, a Temporal server with a database file, three workers (one of them with its own receiver) and
 * one receiver by itself; returns when the workers have work to wait for.
 */
export async function setStage({ seed, size, without, caps, folder }: StageOptions): Promise<Stage> {
  await using started = new AsyncDisposableStack();
  const found = await findServer({ env: { ...process.env, TEMPORAL_ADDRESS: '' } });
  if (found.kind !== 'binary') throw new Error('the storm needs a Temporal server of its own');
  const [grpc, ...ports] = [await lastingPort(), await lastingPort(), await lastingPort()];
  const gateway = await WebhookGateway.start(ports);
  started.defer(() => gateway.close());

  const apiKey = `dk_storm_${randomBytes(12).toString('hex')}`;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const emulator = await EmulatorControl.start({
    port: 0,
    seed,
    media: 'tiny',
    durations: { queue: 30, run: 300 },
    // At least once, so for longer than any outage.
    webhooks: { retries: [100, 400, 1_000, ...Array.from({ length: 60 }, () => 2_000)], timeout: 12_000 },
    accounts: [{ workspace: 'default', apiKey, credits: { permanent: 1_000_000, subscription: 0 } }],
    endpoints: [{ workspace: 'default', url: gateway.url, secret }],
    faults: faultRules(SUBMIT_TIMEOUT),
    assumptions: { refunds: [...REFUNDED] },
  });
  started.defer(() => emulator.stop());

  let server: DevServer | undefined;
  const temporal = {
    async start(): Promise<void> {
      server = await startDevServer({
        binary: found.path,
        ui: false,
        ports: { grpc, ui: 0 },
        databaseFile: join(folder, 'temporal.db'),
        dynamicConfig: { 'history.timerProcessorMaxTimeShift': '5ms' },
      });
    },
    stop: async (): Promise<void> => await server?.stop(),
    freeze: (milliseconds: number) => freezeProcess(server?.pid, milliseconds),
  };
  await temporal.start();
  started.defer(() => temporal.stop());
  const address = `127.0.0.1:${grpc}`;
  const client = await connectClient({ address, namespace: 'default' });
  started.defer(() => client.connection.close());

  const outputs = join(folder, 'outputs');
  await mkdir(outputs);
  const config = join(folder, 'darkroom.json');
  await writeFile(config, JSON.stringify({ policy: stormPolicy(size, without) }));
  const env = (port: number | undefined): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_COMPILE_CACHE: compileCache(),
    LOG_LEVEL: 'info',
    TEMPORAL_ADDRESS: address,
    DARKROOM_API_URL: emulator.baseUrl,
    DARKROOM_API_KEY: apiKey,
    DARKROOM_WEBHOOK_SECRET: secret,
    DARKROOM_WEBHOOK_PORT: String(port ?? 0),
    DARKROOM_TASK_QUEUE: TASK_QUEUE,
    DARKROOM_OUTPUTS: outputs,
    DARKROOM_PRIVATE_OUTPUTS: 'allow',
    DARKROOM_CONFIG: config,
    STORM_CAPS: JSON.stringify(caps),
  });
  const run = (name: string, args: readonly string[], port?: number): Program => {
    const running = new Program(args, env(port), join(folder, `${name}.log`));
    started.defer(() => running.close());
    running.start();
    return running;
  };
  const worker = [STORM_WORKER, ...(without === undefined ? [] : ['--without', without])];
  const workers = Array.from({ length: WORKERS }, (_, index) =>
    index === 0 ? run('worker-0', worker, ports[0]) : run(`worker-${index}`, [...worker, '--no-receiver']),
  );
  const receiver = run('receiver', [WORKER, '--receiver-only'], ports[1]);
  await untilPolled(client);
  const all = started.move();
  return {
    client,
    emulator,
    gateway,
    workers,
    receiver,
    temporal,
    apiKey,
    outputs,
    close: () => all.disposeAsync(),
  };
}

/** Whether the API has answered for so many milliseconds. */
export function isUp({ emulator }: Stage, milliseconds: number): boolean {
  return Date.now() - emulator.hungUntil >= milliseconds;
}

/** Waits until every worker polls. */
async function untilPolled(client: Client): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: `${TASK_QUEUE}-submit` },
      taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    });
    if (new Set(pollers?.map(({ identity }) => identity)).size >= WORKERS) return;
    if (Date.now() > deadline) throw new Error('the workers did not start within a minute; see their logs');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
