import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, Connection, WorkflowHandle } from '@temporalio/client';
import type { EmulatorOptions } from '../../emulator/src/options.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { CONTENDERS, type ContenderName, type RequestOptions, taskQueueOf } from './contenders.ts';
import { Emulator } from './emulator.ts';
import { type Program, startProgram } from './program.ts';
import { startDevTemporal, type TemporalServer } from './temporal.ts';

export interface StageOptions {
  /** Of a task, in milliseconds. */
  durations?: { queue: number; run: number };
  emulator?: EmulatorOptions;
  /** Where Temporal comes from; by default the dev server. */
  temporal?: () => Promise<TemporalServer>;
}

export interface WorkerOptions {
  /** Beside the usual ones. */
  env?: NodeJS.ProcessEnv;
  /** False: a further worker on the queue of another one, without a receiver. */
  receiver?: boolean;
  /** Another program than the contender's own, its file first. */
  program?: readonly string[] | undefined;
}

/** One contender's worker: a process that polls. */
export interface Contender {
  name: ContenderName;
  process: Program;
  /** Where its webhooks are taken; undefined for one without a receiver. */
  webhookUrl: string | undefined;
  stop(): Promise<void>;
}

/** A Temporal server, the emulated media API and a client: everything but the workers. Each is a process of its own. */
export class Stage {
  readonly temporal: TemporalServer;
  readonly emulator: Emulator;
  readonly client: Client & { connection: Connection };
  readonly #keys: Readonly<Record<ContenderName, string>>;
  readonly #secret: string;
  readonly #folder: string;
  readonly #cleanup: AsyncDisposableStack;

  private constructor(
    parts: Pick<Stage, 'temporal' | 'emulator' | 'client'>,
    access: Access,
    folder: string,
    cleanup: AsyncDisposableStack,
  ) {
    this.temporal = parts.temporal;
    this.emulator = parts.emulator;
    this.client = parts.client;
    this.#keys = access.keys;
    this.#secret = access.secret;
    this.#folder = folder;
    this.#cleanup = cleanup;
  }

  static async open({
    durations,
    emulator: options,
    temporal: startTemporal = startDevTemporal,
  }: StageOptions = {}): Promise<Stage> {
    await using cleanup = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
    cleanup.defer(() => rm(folder, { recursive: true, force: true }));
    const access = newAccess();
    const temporal = await startTemporal();
    cleanup.defer(() => temporal.stop());
    const emulator = await Emulator.start({
      durations: durations ?? { queue: 20, run: 100 },
      accounts: Object.values(CONTENDERS).map(({ workspace }, index) => ({
        workspace,
        apiKey: Object.values(access.keys)[index],
        credits: { permanent: 100_000_000, subscription: 0 },
      })),
      ...options,
    });
    cleanup.defer(() => emulator.stop());
    const { address, namespace } = temporal;
    const client = await connectClient({ address, namespace });
    cleanup.defer(() => client.connection.close());
    return new Stage({ temporal, emulator, client }, access, folder, cleanup.move());
  }

  /** Starts a contender's worker and waits until it runs. Its webhooks go nowhere yet. */
  async startWorker(
    name: ContenderName,
    { env, receiver = true, program = [CONTENDERS[name].file] }: WorkerOptions = {},
  ): Promise<Contender> {
    const process = await startProgram(
      [...program, ...(receiver ? [] : ['--no-receiver'])],
      { ...this.environment(name), ...env },
      (line) => line.includes('"webhooks":') || / running"?/.test(line),
    );
    const webhookUrl = /"webhooks":"([^"]+)"/.exec(process.greeting)?.[1];
    const worker = { name, process, webhookUrl, stop: () => process.stop() };
    this.#cleanup.defer(() => worker.stop());
    return worker;
  }

  /** Starts a contender's worker, with its webhooks coming to it. */
  async start(name: ContenderName, options: WorkerOptions = {}): Promise<Contender> {
    const worker = await this.startWorker(name, options);
    await this.sendWebhooks(name, worker.webhookUrl ?? '');
    return worker;
  }

  /** @returns the endpoint's id */
  async sendWebhooks(name: ContenderName, url: string): Promise<string> {
    const { workspace, events } = CONTENDERS[name];
    return await this.emulator.sendWebhooks({
      workspace,
      url,
      secret: this.#secret,
      ...(events === undefined ? {} : { events }),
    });
  }

  /** What a contender's program is told. */
  environment(name: ContenderName): NodeJS.ProcessEnv {
    return {
      TEMPORAL_ADDRESS: this.temporal.address,
      TEMPORAL_NAMESPACE: this.temporal.namespace,
      DARKROOM_API_URL: this.emulator.baseUrl,
      DARKROOM_API_KEY: this.#keys[name],
      DARKROOM_WEBHOOK_SECRET: this.#secret,
      DARKROOM_WEBHOOK_PORT: '0',
      DARKROOM_TASK_QUEUE: taskQueueOf(name),
      DARKROOM_OUTPUTS: join(this.#folder, name),
      DARKROOM_PRIVATE_OUTPUTS: 'allow',
    };
  }

  /** Starts a contender's workflow for one generation. */
  async generate(name: ContenderName, request: RequestOptions = {}): Promise<WorkflowHandle> {
    const { workflow, args } = CONTENDERS[name];
    return await this.startWorkflow(name, workflow, args(request));
  }

  /** One generation, from its start to its result. */
  async generation(name: ContenderName, request?: RequestOptions): Promise<unknown> {
    const handle = await this.generate(name, request);
    return await handle.result();
  }

  /** Starts any workflow of a contender's. */
  async startWorkflow(name: ContenderName, workflow: string, args: unknown[]): Promise<WorkflowHandle> {
    return await this.client.workflow.start(workflow, {
      taskQueue: taskQueueOf(name),
      workflowId: `${workflow}/${randomUUID()}`,
      args,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync();
  }
}

interface Access {
  keys: Readonly<Record<ContenderName, string>>;
  secret: string;
}

function newAccess(): Access {
  const key = (): string => `dk_bench_${randomBytes(12).toString('hex')}`;
  return {
    keys: { darkroom: key(), byhand: key(), floor: key() },
    secret: `whsec_${randomBytes(32).toString('base64')}`,
  };
}
