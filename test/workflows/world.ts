import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, type Connection, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { inject } from 'vitest';
import {
  type Charge,
  type Emulator,
  type EmulatorOptions,
  type FaultRuleInput,
  startEmulator,
} from '../../emulator/src/index.ts';
import type { SubmitAuditTimes } from '../../src/activities/generation/submit-audit.ts';
import type { Config } from '../../src/config/worker-config.ts';
import type { TaskReceiver } from '../../src/contract/entities/task-notices.ts';
import type { UnclaimedTasksLimits } from '../../src/contract/entities/unclaimed-tasks.ts';
import type {
  FailureDetails,
  GenerationRequest,
  GenerationResult,
  Progress,
} from '../../src/contract/generation.ts';
import { taskCreatedSignal } from '../../src/contract/messages.ts';
import type { PipelineRequest, PipelineResult } from '../../src/contract/pipeline.ts';
import { TAKEN_FOR, takenTaskId } from '../../src/contract/workflow-ids.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { noticeOf, toUnclaimedTasks } from '../../src/temporal/unclaimed-tasks.ts';
import type { ReceiverLog } from '../../src/webhooks/receiver-log.ts';
import type { DarkroomOptions } from '../../src/worker/darkroom-options.ts';
import { type Darkroom, startDarkroom } from '../../src/worker/start-darkroom.ts';
import { eventually } from '../eventually.ts';
import { openWorlds } from '../open-runs.ts';
import { logged } from '../setup/quiet-temporal.ts';
import { FAST } from './fast-policy.ts';

export { eventually, FAST, logged };

/** Polls so late that only a webhook can settle a task within a test. */
export const WEBHOOK_ONLY = { ...FAST, polling: { first: '1h', factor: 1, max: '1h' } } as const;

/** A generation that costs little to make. */
export const image = (prompt: string, policy: unknown = FAST) => ({
  model: 'image-l',
  input: { prompt },
  policy,
});

export type Generation = WorkflowHandle<(request: GenerationRequest) => Promise<GenerationResult>>;

/** A run, as the names of tasks tell of it. */
export async function receiverOf(run: Generation): Promise<TaskReceiver> {
  const { workflowId, runId, raw } = await run.describe();
  return { workflowId, runId, firstRunId: raw.workflowExecutionInfo?.firstRunId ?? '' };
}

/** Takes a task's name for a run, or an earlier one of it, on the task queue of another deployment, whose worker is away. */
export async function nameElsewhere(
  { client }: Pick<World, 'client'>,
  taskId: string,
  run: Generation,
  runId?: string,
): Promise<{ terminate(): Promise<unknown> }> {
  return await client.workflow.start('takenTask', {
    workflowId: takenTaskId(taskId),
    taskQueue: 'elsewhere',
    memo: { [TAKEN_FOR]: { ...(await receiverOf(run)), ...(runId && { runId }) } },
  });
}

/** How a workflow failed: the failure's type, and its first detail. */
export interface Failed<Details> {
  type: string;
  message: string;
  details: Details;
}

/** An emulator, a worker with its receiver, and a client, all of their own; the Temporal server is shared. */
export interface World {
  emulator: Emulator;
  client: Client & { connection: Connection };
  config: Config;
  start(request: GenerationRequest, id?: string): Promise<Generation>;
  generate(request: GenerationRequest): Promise<GenerationResult>;
  fail(request: GenerationRequest): Promise<Failed<FailureDetails>>;
  failureOf<Details>(handle: { result(): Promise<unknown> }): Promise<Failed<Details>>;
  pipeline(
    request: PipelineRequest,
    id?: string,
  ): Promise<WorkflowHandle<(request: PipelineRequest) => Promise<PipelineResult>>>;
  /** Waits until a run is in that state. */
  until(handle: Pick<WorkflowHandle, 'query' | 'fetchHistory'>, state: Progress['state']): Promise<Progress>;
  /** A workflow's Current Details, as the Web UI shows them. */
  details(handle: { query<T>(name: string): Promise<T> }): Promise<string | undefined>;
  /**
   * Tells `unclaimed-tasks` of a task that the receiver could not route, as it would hand it over; starts it with
   * those limits where it does not run.
   */
  tellOfCreation(
    taskId: string,
    input: Record<string, unknown>,
    limits?: Partial<UnclaimedTasksLimits>,
  ): Promise<void>;
  /** Buys an image as a program without Darkroom would: returns the id of its task. */
  buyOutside(prompt: string): Promise<string>;
  /** What was logged as a warning so far. */
  warnings: { message: string; fields: object }[];
  fault(rule: FaultRuleInput): void;
  /** The answer to the next submits of that prompt (one of them) gets lost after the task was made and charged. */
  loseAnswer(prompt: string, times?: number): void;
  /** No task of that prompt ends, or the nth one does not, before what is returned is called. */
  hold(prompt: string, nth?: number): () => void;
  /** No event of that prompt is ever delivered. */
  loseWebhooks(prompt: string): void;
  /** What a workflow was charged for, in order. */
  charges(workflowId: string): Charge[];
  /** The tasks that a workflow was charged for, in order. */
  bought(handle: { workflowId: string }): string[];
  /** Stops the worker and its receiver, as a deployment would, and starts them again. */
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  emulator?: EmulatorOptions;
  config?: Partial<Config>;
  audit?: Partial<SubmitAuditTimes>;
  /** How many activities the worker runs at once on each queue. */
  activitySlots?: number;
  /** Replaces what a test cannot have otherwise. */
  activities?: DarkroomOptions['activities'];
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 20, run: 60 },
    webhooks: { retries: [100, 300, 1_000, 3_000, 3_000, 3_000, 3_000, 3_000], timeout: 6_000 },
    ...options.emulator,
  });
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-test-'));
  const config: Config = {
    apiUrl: emulator.baseUrl,
    workspaces: new Map([
      ['default', { apiKey: emulator.apiKey, webhookSecrets: [secret], legacy: 'refuse' }],
    ]),
    webhook: { host: '127.0.0.1', port: 0, maxBodyBytes: 1_048_576 },
    outputs: { kind: 'folder', path: folder },
    privateOutputs: true,
    taskQueue: `test-${randomUUID()}`,
    models: {},
    policy: {},
    temporal: { address: inject('temporalAddress'), namespace: inject('temporalNamespace') },
    ...options.config,
  };
  const client = await connectClient(config.temporal);
  const open = { client, taskQueue: config.taskQueue };
  openWorlds.add(open);
  const endpoint = emulator
    .service()
    .endpoints.create({ workspace: 'default', url: 'http://127.0.0.1:9/', secret });
  let darkroom: Darkroom | undefined;

  const warnings: World['warnings'] = [];
  const log: ReceiverLog = {
    debug() {},
    info() {},
    warn: (fields, message) => void warnings.push({ fields, message }),
  };

  const world: World = {
    emulator,
    warnings,
    client,
    config,
    start: (request, id = `generation/${randomUUID()}`) =>
      client.workflow.start<(request: GenerationRequest) => Promise<GenerationResult>>('generation', {
        taskQueue: config.taskQueue,
        workflowId: id,
        args: [request],
      }),
    async generate(request) {
      return await (await world.start(request)).result();
    },
    async fail(request) {
      return await world.failureOf(await world.start(request));
    },
    async failureOf<Details>(handle: { result(): Promise<unknown> }) {
      const error: unknown = await handle.result().then(
        (result) => new Error(`expected a failure, got ${JSON.stringify(result)}`),
        (reason: unknown) => reason,
      );
      if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure))
        throw error;
      const { type, message, details } = error.cause;
      return { type: type ?? '', message, details: details?.[0] as Details }; // the caller names the shape
    },
    pipeline: (request, id = `pipeline/${randomUUID()}`) =>
      client.workflow.start<(request: PipelineRequest) => Promise<PipelineResult>>('pipeline', {
        taskQueue: config.taskQueue,
        workflowId: id,
        args: [request],
      }),
    until: (handle, state) =>
      eventually(async () => {
        const progress: Progress = await handle.query('progress');
        if (progress.state !== state) throw new Error(`state is "${progress.state}", not "${state}"`);
        return progress;
      }).catch(async (error: unknown) => {
        throw new Error(await whyTasksFail(handle), { cause: error });
      }),
    async details(handle) {
      const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      return metadata.currentDetails;
    },
    async tellOfCreation(taskId, input, limits = {}) {
      const task = { taskId, webhookId: `msg_${taskId}`, input, createdAt: null, receivedAt: Date.now() };
      const tasks = [noticeOf(task, undefined)];
      const options = toUnclaimedTasks('default', config.taskQueue, taskCreatedSignal, {
        tasks,
        toldAt: Date.now(),
      });
      await client.workflow.signalWithStart('unclaimedTasks', {
        ...options,
        args: [{ workspace: 'default', limits }],
      });
    },
    async buyOutside(prompt) {
      const answer = await fetch(`${emulator.baseUrl}/generation/darkroom/image-l`, {
        method: 'POST',
        headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt }),
      });
      if (!answer.ok) throw new Error(`the emulator answers ${answer.status}`);
      const { id } = (await answer.json()) as { id: string }; // the emulator's record
      return id;
    },
    fault: (rule) => void emulator.service().faults.add(rule),
    loseAnswer: (prompt, times = 1) =>
      world.fault({ on: 'submit', match: { promptIncludes: prompt }, times, fault: { kind: 'lost-after' } }),
    hold(prompt, nth) {
      const { faults, scheduler, tasks } = emulator.service();
      const rule = { on: 'task', match: { promptIncludes: prompt }, fault: { kind: 'hang' } } as const;
      const { id } = faults.add(nth === undefined ? rule : { ...rule, nth });
      return () => {
        faults.remove(id);
        const due = { start: Date.now(), finish: Date.now() };
        for (const task of tasks.values())
          if (task.fate.kind === 'hang' && JSON.stringify(task.input).includes(prompt))
            scheduler.force(task, { kind: 'complete' }, due);
      };
    },
    loseWebhooks: (prompt) =>
      world.fault({ on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'lost' } }),
    charges: (workflow) => emulator.service().ledger.charges({ workflow }),
    bought: ({ workflowId }) => world.charges(workflowId).map(({ taskId }) => taskId),
    async stopWorker() {
      await darkroom?.stop();
      darkroom = undefined;
    },
    async startWorker() {
      darkroom = await startDarkroom(config, {
        worker: true,
        receiver: true,
        preflight: true,
        log,
        ...(options.audit === undefined ? {} : { audit: options.audit }),
        ...(options.activitySlots === undefined ? {} : { activitySlots: options.activitySlots }),
        ...(options.activities === undefined ? {} : { activities: options.activities }),
      });
      endpoint.url = darkroom.webhookUrl ?? endpoint.url;
      emulator.service().endpoints.save(endpoint);
    },
    async close() {
      openWorlds.delete(open);
      await world.stopWorker();
      await client.connection.close();
      await emulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await world.startWorker();
  } catch (error) {
    await world.close();
    throw error;
  }
  return world;
}

/** What the last of a run's failed workflow tasks said: a query tells only that one has failed. */
async function whyTasksFail(handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<string> {
  const { events } = await handle.fetchHistory();
  const messages = (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    // A Reset makes a failed one, too: it says nothing.
    failed?.newRunId ? [] : (failed?.failure?.message ?? []),
  );
  return `the state was not reached; the last workflow task that failed: ${messages.at(-1) ?? 'none'}`;
}
