import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, Connection } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { inject } from 'vitest';
import type { FaultRuleInput } from '../../emulator/src/faults/rule.ts';
import { type Emulator, startEmulator } from '../../emulator/src/server.ts';
import type { Config } from '../../src/config/worker-config.ts';
import type { DarkroomActivities } from '../../src/contract/activities.ts';
import type { GenerationRequest } from '../../src/contract/generation.ts';
import type { SubmitTaskResult } from '../../src/contract/tasks/submit-task.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { startDarkroom } from '../../src/worker/start-darkroom.ts';
import '../setup/quiet-temporal.ts';

/** Workspaces of the stage beside `default`: one with a key that the emulator has never heard of, one to be slowed. */
export const LOCKED_OUT = 'locked-out';
export const SLOWED = 'slowed';

const QUIET = { timeout: 5_000, heartbeat: 600_000 };
const PICTURE = { prompt: 'a red fox' };

/**
 * The activities as a worker wires them, without a workflow: against an emulator of their own and the Temporal server
 * that all tests share. Each call runs in a `MockActivityEnvironment`.
 */
export interface ActivityStage {
  client: Client & { connection: Connection };
  taskQueue: string;
  emulator: Emulator;
  activities: DarkroomActivities;
  /**
   * Runs one attempt of `submitTask`: a picture for the default workspace, unless the request says otherwise.
   *
   * @param gaveUpAt when its run has given an earlier submit up (ms since the epoch)
   */
  submit(
    of: Attempt,
    request?: Partial<GenerationRequest> & Partial<Pick<Policy, 'retries' | 'submit'>>,
    gaveUpAt?: number,
  ): Promise<SubmitTaskResult>;
  /** Buys a task. @returns its id */
  buy(input?: Record<string, unknown>): Promise<string>;
  fault(rule: FaultRuleInput): void;
  /** What the worker has warned of. */
  warnings: string[];
  /** How many POSTs of submits the emulator has had. */
  submits(): number;
  close(): Promise<void>;
}

export async function openActivityStage(): Promise<ActivityStage> {
  const emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 20, run: 40 } });
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-activities-'));
  const access = (apiKey: string) => ({ apiKey, webhookSecrets: [], legacy: 'refuse' as const });
  const config: Config = {
    apiUrl: emulator.baseUrl,
    workspaces: new Map([
      ['default', access(emulator.apiKey)],
      [SLOWED, access(emulator.apiKey)],
      [LOCKED_OUT, access('dk_unknown')],
    ]),
    webhook: { host: '127.0.0.1', port: 0, maxBodyBytes: 1_048_576 },
    outputs: { kind: 'folder', path: folder },
    privateOutputs: true,
    taskQueue: `activities-${randomUUID()}`,
    models: {},
    policy: {},
    temporal: { address: inject('temporalAddress'), namespace: inject('temporalNamespace') },
  };
  const warnings: string[] = [];
  const { promise: wired, resolve: take } = Promise.withResolvers<DarkroomActivities>();
  const darkroom = await startDarkroom(config, {
    worker: true,
    receiver: false,
    preflight: false,
    log: { debug() {}, info() {}, warn: (_, message) => void warnings.push(message) },
    activities: (activities) => {
      take(activities);
      return activities;
    },
  });
  const activities = await wired;
  const client = await connectClient(config.temporal);
  const stage: ActivityStage = {
    client,
    taskQueue: config.taskQueue,
    emulator,
    activities,
    warnings,
    // One that stands still for a fifth of its heartbeat asks Temporal about its submits, which has none here.
    submit: (of, { retries = DEFAULT_POLICY.retries, submit = QUIET, ...request } = {}, gaveUpAt) =>
      run(of, activities.submitTask, {
        request: { model: 'image-l', input: PICTURE, workspace: 'default', ...request },
        plan: {
          family: 'image',
          takesSeed: false,
          policy: { ...DEFAULT_POLICY, submit, retries },
          payers: request.budgetsAbove ?? [],
        },
        firstRunId: of.runId,
        settledTaskIds: [],
        gaveUpAt,
      }),
    async buy(input = PICTURE) {
      const result = await stage.submit(attempt(), { input });
      if (result.kind !== 'accepted') throw new Error(`the submit ended as ${result.kind}`);
      return result.taskId;
    },
    fault: (rule) => void emulator.service().faults.add(rule),
    submits: () => emulator.service().counters.snapshot().requests['submit'] ?? 0,
    async close() {
      await client.connection.close();
      await darkroom.stop();
      await emulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return stage;
}

/** One attempt of an activity of a run that is its workflow's first. */
export interface Attempt {
  environment: MockActivityEnvironment;
  workflowId: string;
  runId: string;
  /** What it sent, in order. */
  heartbeats: unknown[];
}

/**
 * @param before the attempt before this one, whose last heartbeat this one finds
 * @param scheduledAt by Temporal's clock
 */
export function attempt(
  before?: Omit<Attempt, 'environment'>,
  scheduledAt = Date.now(),
  isLocal = false,
): Attempt {
  const { workflowId, runId } = before ?? { workflowId: `generation/${randomUUID()}`, runId: randomUUID() };
  const heartbeats: unknown[] = [];
  // As Temporal hands it on: through JSON.
  const heartbeatDetails: unknown =
    JSON.parse(JSON.stringify(before?.heartbeats.at(-1) ?? null)) ?? undefined;
  const environment = new MockActivityEnvironment(
    {
      attempt: before === undefined ? 1 : 2,
      workflowExecution: { workflowId, runId },
      scheduledTimestampMs: scheduledAt,
      currentAttemptScheduledTimestampMs: scheduledAt,
      heartbeatDetails,
      isLocal,
    },
    { logger: new DefaultLogger('ERROR') },
  );
  environment.on('heartbeat', (details: unknown) => heartbeats.push(details));
  return { environment, workflowId, runId, heartbeats };
}

/** Runs an activity in that attempt's context. */
export async function run<Input, Result>(
  { environment }: Attempt,
  activity: (input: Input) => Promise<Result>,
  input: Input,
): Promise<Result> {
  return await environment.run<[Input], Result, typeof activity>(activity, input);
}
