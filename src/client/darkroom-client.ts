import type { Client, Connection } from '@temporalio/client';
import { describeModel, describeModels, type ModelDescription } from '../api/models/describe.ts';
import type { ModelOverrides } from '../api/models/override.ts';
import { MODELS, type ModelId } from '../api/models/registry.ts';
import { loadClientConfig } from '../config/client-config.ts';
import type { BatchProgress, BatchResult } from '../contract/batch.ts';
import type { FileInput } from '../contract/file-input.ts';
import type { Decision, DecisionAnswer, GenerationRequest, Progress } from '../contract/generation.ts';
import type { PipelineProgress, PipelineRequest, PipelineResult } from '../contract/pipeline.ts';
import type { ModelResult } from '../contract/steps/model-result.ts';
import { DEFAULT_WORKSPACE } from '../contract/workflow-ids.ts';
import { cancelRun } from '../temporal/cancel-run.ts';
import { connectClient } from '../temporal/connection.ts';
import { resetPoints, resetRun } from '../temporal/reset-run.ts';
import { type ListFilter, listFiltered, type RunList } from './asking/list.ts';
import type { Credits } from './asking/read-credits.ts';
import { type RunSnapshot, snapshotOf } from './asking/run-snapshot.ts';
import { summaryOf } from './asking/run-summary.ts';
import { checkedRows } from './batch/checked-rows.ts';
import type { PreparedRows } from './batch/prepare-rows.ts';
import { startBatch } from './batch/start-batch.ts';
import { BatchHandle } from './batch-handle.ts';
import { NotFollowableError } from './failures/not-followable-error.ts';
import { RerunRefusedError } from './failures/rerun-refused-error.ts';
import { ClientFiles, type Stored } from './files/client-files.ts';
import type { ClientInput } from './files/input-types.ts';
import { unsent } from './files/map-files.ts';
import { storeOf } from './files/store-of.ts';
import { call } from './following/call.ts';
import { endsOf, until } from './following/ends-of.ts';
import { GenerationHandle } from './generation-handle.ts';
import type { AnyHandle, HandleOf } from './handle-of.ts';
import type {
  BatchOptions,
  CallOptions,
  Duration,
  GenerationOptions,
  StartOptions,
  WatchOptions,
} from './options.ts';
import { type PipelineDecision, PipelineHandle } from './pipeline-handle.ts';
import { type BatchPlan, planBatch } from './plan/plan-batch.ts';
import type { PipelinePlan } from './plan/plan-pipeline.ts';
import { planStart } from './plan/plan-start.ts';
import { checkStart } from './starting/check-start.ts';
import { type RerunChanges, rerunWith } from './starting/rerun.ts';
import { retryRun } from './starting/retry.ts';
import { startAndWait } from './starting/start-and-wait.ts';
import { startOrAttach } from './starting/start-or-attach.ts';
import type { StartRequest } from './starting/start-request.ts';
import { workflowIdOf } from './workflow-id.ts';

/** What `connect` reads from the environment. */
export interface DarkroomClientOptions {
  /** Where work is started: `darkroom` when absent. */
  taskQueue?: string | undefined;
  /**
   * `models` of the worker's DARKROOM_CONFIG. Without them, what only they could allow is left to the worker: fields
   * that Darkroom does not know, and rules between fields that are assumed.
   */
  models?: ModelOverrides | undefined;
  /** The worker's DARKROOM_OUTPUTS, where files of requests go; this process's, or `./outputs`, when absent. */
  outputs?: string | undefined;
  /** The worker's DARKROOM_PUBLIC_OUTPUTS, for `url`; this process's when absent. */
  publicOutputs?: string | undefined;
}

/**
 * Starts generations and pipelines for a backend service and hands back typed results.
 *
 * ```ts
 * const darkroom = await DarkroomClient.connect();
 * const { outputs } = await darkroom.generate('image-l', { prompt: 'a red fox in snow' }, { key: order.id });
 * ```
 */
export class DarkroomClient implements AsyncDisposable {
  readonly temporal: Client;
  /** Where work is started. */
  readonly taskQueue: string;
  /** The connection that `connect` made; one that was passed in is its owner's to close. */
  #connection: Connection | undefined;
  readonly #models: ModelOverrides | undefined;
  readonly #files: ClientFiles;
  /** Has the key of the media API, for who asks for its balance. */
  #env: NodeJS.ProcessEnv = process.env;

  /** For a Temporal client of one's own; it must use the default payload converter. */
  constructor(temporal: Client, options: DarkroomClientOptions = {}) {
    this.temporal = temporal;
    this.taskQueue = options.taskQueue ?? 'darkroom';
    this.#models = options.models;
    this.#files = new ClientFiles(storeOf(options));
  }

  /**
   * Connects as the environment says (TEMPORAL_*, DARKROOM_TASK_QUEUE). To be closed with `close`.
   *
   * @throws ConfigError, TemporalUnreachable
   */
  static async connect(env: NodeJS.ProcessEnv = process.env): Promise<DarkroomClient> {
    const { temporal, taskQueue, models } = loadClientConfig(env);
    const client = await connectClient(temporal);
    const darkroom = new DarkroomClient(client, {
      taskQueue,
      ...(Object.keys(models).length === 0 ? {} : { models }),
      outputs: env['DARKROOM_OUTPUTS'] ?? './outputs',
      publicOutputs: env['DARKROOM_PUBLIC_OUTPUTS'],
    });
    darkroom.#connection = client.connection;
    darkroom.#env = env;
    return darkroom;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * One generation, from the request to its result: `start`, then `result`. With the same key it is the same purchase,
   * however often and from wherever this is called.
   *
   * @throws RunFailedError of the class that goes by the failure's type; KeyInUseError when the key belongs to another
   *   request; StillRunningError and NoWorkerError when the waiting ends before the work does
   */
  async generate<Id extends ModelId, TemplateId extends string | undefined = undefined>(
    model: Id,
    input: ClientInput<Id, TemplateId>,
    options: GenerationOptions<TemplateId> & WatchOptions<Progress> = {},
  ): Promise<ModelResult<Id>> {
    return await startAndWait('generation', options, (mine) => this.start(model, input, mine));
  }

  /**
   * One pipeline, from the request to its result.
   *
   * @throws as `generate`; PipelineFailedError has the results that there are
   */
  async run<Types, AllowPartial extends boolean = false>(
    request: PipelineRequest<Types, AllowPartial>,
    options: StartOptions & WatchOptions<PipelineProgress> = {},
  ): Promise<PipelineResult<Types, AllowPartial>> {
    return await startAndWait('pipeline', options, (mine) => this.start(request, mine));
  }

  /**
   * Starts a generation, or attaches to the one that has the key, without waiting for it.
   *
   * @throws InvalidRequestError for a request that is wrong, KeyInUseError when the key belongs to another one
   */
  start<Id extends ModelId, TemplateId extends string | undefined = undefined>(
    model: Id,
    input: ClientInput<Id, TemplateId>,
    options?: GenerationOptions<TemplateId> & CallOptions,
  ): Promise<GenerationHandle<Id>>;
  /** Starts a pipeline, or attaches to the one that has the key, without waiting for it. */
  start<Types, AllowPartial extends boolean = false>(
    pipeline: PipelineRequest<Types, AllowPartial>,
    options?: StartOptions & CallOptions,
  ): Promise<PipelineHandle<Types, AllowPartial>>;
  async start(
    what: ModelId | PipelineRequest,
    second: object = {},
    third: GenerationOptions & CallOptions = {},
  ): Promise<GenerationHandle | PipelineHandle> {
    const { temporal } = this;
    if (typeof what !== 'string') {
      const start = await this.#prepared(pipelineStart(what, second, this.taskQueue), second);
      return await call(temporal, second, async () => {
        return new PipelineHandle(temporal, start.workflowId, await startOrAttach(temporal, start));
      });
    }
    const start = await this.#prepared(generationStart(what, { ...second }, third, this.taskQueue), third);
    return await call(temporal, third, async () => {
      return new GenerationHandle(temporal, start.workflowId, await startOrAttach(temporal, start));
    });
  }

  /** Checked, and then with its files in the store: what is wrong is told before they are uploaded. */
  async #prepared(start: StartRequest, options: CallOptions): Promise<StartRequest> {
    options.signal?.throwIfAborted();
    checkStart(unsent(start), this.#models);
    return await this.#files.sent(start, endsOf(options));
  }

  /**
   * A pipeline for each of many rows, from the request to the counts: `startBatch`, then `result`. `rows()` of the handle
   * tells what has become of each.
   *
   * @throws InvalidRequestError for what the rows make, KeyInUseError where the key runs with other rows, and as `generate`
   */
  async runBatch(
    pipeline: PipelineRequest,
    rows: readonly Record<string, unknown>[],
    options: BatchOptions & WatchOptions<BatchProgress> = {},
  ): Promise<BatchResult> {
    return await startAndWait('batch', options, (mine) => this.startBatch(pipeline, rows, mine));
  }

  /**
   * Starts a batch, or attaches to the one that has the key: the same rows are the same purchases. A row's values stand for
   * the pipeline's `{ $param: 'city' }` and `{{city}}`.
   *
   * @throws as `runBatch`
   */
  async startBatch(
    pipeline: PipelineRequest,
    rows: readonly Record<string, unknown>[],
    options: BatchOptions & CallOptions = {},
  ): Promise<BatchHandle> {
    const { temporal, taskQueue } = this;
    const { key, concurrency, budget, callback, retryFailed } = options;
    const workflowId = workflowIdOf('batch', key);
    const ready = await this.#preparedRows(workflowId, pipeline, rows, options);
    return await call(temporal, options, async () => {
      const { kind, ...started } = await startBatch(temporal, {
        ...ready,
        workflowId,
        taskQueue,
        concurrency,
        budget: budget?.credits,
        callback,
        retryFailed,
      });
      const { runId } = await temporal.workflow.getHandle(workflowId).describe();
      const attached = kind === 'ended' || ('attached' in started && started.attached);
      return new BatchHandle(temporal, workflowId, { runId, taskQueue, attached });
    });
  }

  async #preparedRows(
    workflowId: string,
    pipeline: PipelineRequest,
    rows: readonly Record<string, unknown>[],
    { rowKey, ...options }: BatchOptions & CallOptions,
  ): Promise<PreparedRows> {
    const sent = await this.#files.sent({ pipeline, rows }, endsOf(options));
    return checkedRows(workflowId, sent.pipeline, sent.rows, { rowKey, models: this.#models });
  }

  /**
   * What `start` with the same arguments would buy, and for how much by what such tasks have cost. Nothing is started;
   * files are uploaded, because the same content is the same purchase.
   *
   * @throws InvalidRequestError, and KeyInUseError where the key belongs to another request
   */
  plan<Id extends ModelId, TemplateId extends string | undefined = undefined>(
    model: Id,
    input: ClientInput<Id, TemplateId>,
    options?: GenerationOptions<TemplateId> & CallOptions,
  ): Promise<PipelinePlan>;
  plan(pipeline: PipelineRequest, options?: StartOptions & CallOptions): Promise<PipelinePlan>;
  async plan(
    what: ModelId | PipelineRequest,
    second: object = {},
    third: GenerationOptions & CallOptions = {},
  ): Promise<PipelinePlan> {
    const { taskQueue } = this;
    const [options, start] =
      typeof what === 'string'
        ? [third, generationStart(what, { ...second }, third, taskQueue)]
        : [second as StartOptions & CallOptions, pipelineStart(what, second, taskQueue)]; // by the overloads
    const ready = await this.#prepared(start, options);
    return await call(this.temporal, options, () => planStart(this.temporal, ready));
  }

  /** The same of `startBatch`: each row by itself that is not there yet. */
  async planBatch(
    pipeline: PipelineRequest,
    rows: readonly Record<string, unknown>[],
    options: BatchOptions & CallOptions = {},
  ): Promise<BatchPlan> {
    const { key, retryFailed } = options;
    const workflowId = workflowIdOf('batch', key);
    const ready = await this.#preparedRows(workflowId, pipeline, rows, options);
    return await call(this.temporal, options, () =>
      planBatch(this.temporal, { ...ready, workflowId, retryFailed }),
    );
  }

  /** Every model, or one: its fields with their limits, its rules, an example and its JSON Schema. */
  models(): ModelDescription[];
  models(id: ModelId): ModelDescription;
  models(id?: ModelId): ModelDescription | ModelDescription[] {
    return id === undefined ? describeModels(this.#models) : describeModel(MODELS[id], this.#models?.[id]);
  }

  /**
   * The balance of a workspace, asked from the API with the worker's own settings (DARKROOM_API_URL, DARKROOM_API_KEY).
   *
   * @throws ConfigError where the environment has no key, ApiUnavailable
   */
  async credits(options: CallOptions & { workspace?: string | undefined } = {}): Promise<Credits> {
    const { readCredits } = await import('./asking/read-credits.ts'); // most clients have no key
    return await readCredits(this.#env, options.workspace ?? DEFAULT_WORKSPACE, options);
  }

  /**
   * Puts a file into the store, once, as a request does that holds one.
   *
   * @returns what any request names it by, also one of a plain Temporal client: `darkroom:sha256/<hex>`
   * @throws OutputStoreFailed, FileChanged, what reading the file throws
   */
  async upload(file: FileInput, options: CallOptions = {}): Promise<string> {
    return await this.#files.put(file, endsOf(options));
  }

  /**
   * The bytes of an output, from the store.
   *
   * @throws OutputStoreFailed and FileDamaged, while it is read
   */
  open(output: Stored, options: CallOptions = {}): ReadableStream<Uint8Array> {
    return this.#files.open(output, endsOf(options));
  }

  /**
   * Writes an output to a file, or into a folder that is there; the file is there whole or not at all.
   *
   * @returns the file's path
   */
  async download(output: Stored, to: string, options: CallOptions = {}): Promise<string> {
    return await this.#files.download(output, to, endsOf(options));
  }

  /**
   * A URL at which others find an output: signed for a bucket, for `expires` (24 hours when absent, at most seven days);
   * below DARKROOM_PUBLIC_OUTPUTS for a folder, where it does not expire.
   *
   * @throws TypeError where the store has no way for others
   */
  async url(
    output: Stored,
    { expires, ...options }: CallOptions & { expires?: Duration | undefined } = {},
  ): Promise<string> {
    return await until(endsOf(options), this.#files.url(output, expires));
  }

  /**
   * The latest run of a workflow id, running or closed. Who knows what it is of, says so: `attach<typeof film>(id)`.
   *
   * @throws WorkflowNotFoundError when there is none, NotFollowableError when it is none of ours
   */
  async attach<What = unknown>(workflowId: string, options: CallOptions = {}): Promise<HandleOf<What>> {
    const handle = await call(this.temporal, options, () => this.#attach(workflowId));
    return handle as HandleOf<What>; // what the caller says
  }

  async #attach(workflowId: string): Promise<AnyHandle> {
    const { runId, type, taskQueue } = await this.temporal.workflow.getHandle(workflowId).describe();
    const started = { runId, taskQueue, attached: true };
    if (type === 'generation') return new GenerationHandle(this.temporal, workflowId, started);
    if (type === 'pipeline') return new PipelineHandle(this.temporal, workflowId, started);
    if (type === 'batch') return new BatchHandle(this.temporal, workflowId, started);
    throw new NotFollowableError(workflowId, type);
  }

  /**
   * How a run stands, without waiting for it: what it was started with, its progress, its result or its failure.
   *
   * @throws as `attach`
   */
  async get(workflowId: string, options: CallOptions = {}): Promise<RunSnapshot> {
    return await call(this.temporal, options, () => this.#get(workflowId));
  }

  async #get(workflowId: string): Promise<RunSnapshot> {
    const handle = await this.#attach(workflowId);
    const { status, startTime, closeTime, searchAttributes, ...run } = await this.temporal.workflow
      .getHandle(workflowId, handle.runId)
      .describe();
    const summary = summaryOf({
      ...run,
      status: status.name,
      startedAt: startTime,
      closedAt: closeTime ?? null,
      attributes: searchAttributes,
    });
    return await snapshotOf(this.temporal, handle, summary);
  }

  /** Generations, pipelines and batches of this client's task queue, a page at a time: open ones first, then by age. */
  async list(filter: ListFilter = {}, options: CallOptions = {}): Promise<RunList> {
    return await call(this.temporal, options, () => listFiltered(this.temporal, this.taskQueue, filter));
  }

  /**
   * Ends a run, steps included. The API has no cancel call: tasks go on there and cost what they cost.
   *
   * @throws WorkflowNotFoundError when there is none, or it has ended
   */
  async cancel(workflowId: string, options: CallOptions = {}): Promise<void> {
    await call(this.temporal, options, () => cancelRun(this.temporal, workflowId));
  }

  /**
   * Tries a run again that has failed or was ended, under its id: what it has bought and can use is taken over, completed
   * or running; what failed is bought again. One that runs or has completed stays as it is, so this may be repeated.
   *
   * @throws as `attach`
   */
  async retry<What = unknown>(
    workflowId: string,
    options: CallOptions = {},
  ): Promise<Exclude<HandleOf<What>, BatchHandle>> {
    const handle = await call(this.temporal, options, async () => {
      await retryRun(this.temporal, workflowId);
      return await this.#attach(workflowId);
    });
    return handle as Exclude<HandleOf<What>, BatchHandle>; // what the caller says; a batch was refused
  }

  /**
   * Runs something changed: a generation, which keeps its id, with another policy; a pipeline, which gets a new one
   * (`key`), with other inputs, another policy or budget. What is unchanged and completed is taken over.
   *
   * @throws RerunRefusedError, and as `attach`
   */
  async rerun(
    workflowId: string,
    changes: RerunChanges = {},
    options: CallOptions = {},
  ): Promise<Exclude<AnyHandle, BatchHandle>> {
    const sent = await this.#files.sent(changes, endsOf(options));
    return (await call(
      this.temporal,
      options,
      async () => await this.#attach(await rerunWith(this.temporal, workflowId, sent, this.#models)),
    )) as Exclude<AnyHandle, BatchHandle>; // a batch was refused
  }

  /**
   * Temporal's Reset of the latest run, in any state: it is repeated from its beginning, under its id. What it has
   * bought is taken over, completed or running, what had failed is bought again. For what has ended, `retry` does it.
   *
   * @throws RerunRefusedError where it has not begun yet, and as `attach`
   */
  async reset(workflowId: string, options: CallOptions = {}): Promise<AnyHandle> {
    return await call(this.temporal, options, async () => {
      const { runId } = await this.#attach(workflowId);
      const [first] = await resetPoints(this.temporal, { workflowId, runId });
      if (first === undefined) throw RerunRefusedError.notBegun(workflowId);
      await resetRun(this.temporal, { workflowId, runId }, first, 'reset by the client');
      return await this.#attach(workflowId);
    });
  }

  /**
   * A person's word on a generation that needs a decision, or on a step of a pipeline that waits for one.
   *
   * @throws WorkflowUpdateFailedError when the run does not wait for that; TypeError when the decision is for the
   *   other kind of run
   */
  async decide(
    workflowId: string,
    decision: Decision | PipelineDecision,
    options: CallOptions = {},
  ): Promise<DecisionAnswer | PipelineProgress> {
    const sent = await this.#files.sent(decision, endsOf(options));
    return await call(this.temporal, options, () => this.#decide(workflowId, sent));
  }

  async #decide(
    workflowId: string,
    decision: Decision | PipelineDecision,
  ): Promise<DecisionAnswer | PipelineProgress> {
    const handle = await this.#attach(workflowId);
    if (handle.kind === 'batch')
      throw new TypeError(`${workflowId} is a batch: decisions are for its rows, ${workflowId}/<row id>`);
    if (handle.kind === 'pipeline') {
      if (!('step' in decision)) throw new TypeError(`${workflowId} is a pipeline: a decision names a step`);
      return await handle.decide(decision);
    }
    if ('step' in decision) throw new TypeError(`${workflowId} is a generation: it has no steps`);
    return await handle.decide(decision);
  }
}

function generationStart(
  model: ModelId,
  input: Record<string, unknown>,
  { key, priority, templateId, workspace, policy, tags, callback }: GenerationOptions,
  taskQueue: string,
): StartRequest {
  const request: GenerationRequest = {
    model,
    input,
    ...(templateId === undefined ? {} : { templateId }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(policy === undefined ? {} : { policy }),
    ...(tags === undefined ? {} : { tags }),
    ...(callback === undefined ? {} : { callback }),
  };
  return { kind: 'generation', workflowId: workflowIdOf('generation', key), request, taskQueue, priority };
}

function pipelineStart(
  given: PipelineRequest,
  { key, priority, callback }: StartOptions,
  taskQueue: string,
): StartRequest {
  const request = callback === undefined ? given : { ...given, callback };
  return { kind: 'pipeline', workflowId: workflowIdOf('pipeline', key), request, taskQueue, priority };
}
