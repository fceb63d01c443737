import type { Client, Connection } from '@temporalio/client';
import type { ModelId, ModelInput } from '../api/models/registry.ts';
import { loadClientConfig } from '../config/client-config.ts';
import type { GenerationRequest, GenerationResult } from '../contract/generation.ts';
import type { PipelineRequest, PipelineResult } from '../contract/pipeline.ts';
import type { PolicySubset } from '../policy/policy-subset.ts';
import { connectClient } from '../temporal/connection.ts';
import { GenerationHandle } from './generation-handle.ts';
import { NotFollowableError } from './not-followable-error.ts';
import { PipelineHandle } from './pipeline-handle.ts';
import { startOrAttach } from './start-or-attach.ts';
import { workflowIdOf } from './workflow-id.ts';

export type { PolicySubset } from '../policy/policy-subset.ts';
export { GenerationFailedError } from './generation-failed-error.ts';
export type { GenerationHandle } from './generation-handle.ts';
export { KeyInUseError } from './key-in-use-error.ts';
export { NotFollowableError } from './not-followable-error.ts';
export { PipelineFailedError } from './pipeline-failed-error.ts';
export type { PipelineHandle } from './pipeline-handle.ts';

export interface StartOptions {
  /**
   * The idempotency key: the workflow id is `generation/<key>` or `pipeline/<key>`. The same key is the same
   * purchase, for as long as Temporal keeps the run (the namespace's retention). Random when absent.
   */
  key?: string;
  /** 1 (first) to 5; Temporal's default is 3. */
  priority?: 1 | 2 | 3 | 4 | 5;
}

export interface GenerationOptions extends StartOptions {
  /** A workspace that the worker is configured for; `default` when absent. */
  workspace?: string;
  policy?: PolicySubset;
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
  readonly #taskQueue: string;
  /** The connection that `connect` made; one that was passed in is its owner's to close. */
  #connection: Connection | undefined;

  /** For a Temporal client of one's own; it must use the default payload converter. */
  constructor(temporal: Client, { taskQueue = 'darkroom' }: { taskQueue?: string } = {}) {
    this.temporal = temporal;
    this.#taskQueue = taskQueue;
  }

  /**
   * Connects as the environment says (TEMPORAL_*, DARKROOM_TASK_QUEUE). To be closed with `close`.
   *
   * @throws ConfigError, TemporalUnreachable
   */
  static async connect(env: NodeJS.ProcessEnv = process.env): Promise<DarkroomClient> {
    const { temporal, taskQueue } = loadClientConfig(env);
    const client = await connectClient(temporal);
    const darkroom = new DarkroomClient(client, { taskQueue });
    darkroom.#connection = client.connection;
    return darkroom;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * One generation, from the request to its result.
   *
   * @throws GenerationFailedError; KeyInUseError when the key belongs to another request
   */
  async generate<Id extends ModelId>(
    model: Id,
    input: ModelInput<Id>,
    options: GenerationOptions = {},
  ): Promise<GenerationResult> {
    const handle = await this.startGeneration(model, input, options);
    return await handle.result();
  }

  /** Starts a generation, or attaches to the one that has the key, without waiting for it. */
  async startGeneration<Id extends ModelId>(
    model: Id,
    input: ModelInput<Id>,
    { key, priority, workspace, policy }: GenerationOptions = {},
  ): Promise<GenerationHandle> {
    const request: GenerationRequest = {
      model,
      input,
      ...(workspace === undefined ? {} : { workspace }),
      ...(policy === undefined ? {} : { policy }),
    };
    const workflowId = workflowIdOf('generation', key);
    const started = await startOrAttach(this.temporal, {
      kind: 'generation',
      workflowId,
      request,
      taskQueue: this.#taskQueue,
      priority,
    });
    return new GenerationHandle(this.temporal, workflowId, started);
  }

  /**
   * A pipeline, from the request to its result.
   *
   * @throws PipelineFailedError; KeyInUseError when the key belongs to another request
   */
  async runPipeline(request: PipelineRequest, options: StartOptions = {}): Promise<PipelineResult> {
    const handle = await this.startPipeline(request, options);
    return await handle.result();
  }

  /** Starts a pipeline, or attaches to the one that has the key, without waiting for it. */
  async startPipeline(
    request: PipelineRequest,
    { key, priority }: StartOptions = {},
  ): Promise<PipelineHandle> {
    const workflowId = workflowIdOf('pipeline', key);
    const started = await startOrAttach(this.temporal, {
      kind: 'pipeline',
      workflowId,
      request,
      taskQueue: this.#taskQueue,
      priority,
    });
    return new PipelineHandle(this.temporal, workflowId, started);
  }

  /**
   * The latest run of a workflow id, running or closed.
   *
   * @throws WorkflowNotFoundError when there is none, NotFollowableError when it is no generation or pipeline
   */
  async attach(workflowId: string): Promise<GenerationHandle | PipelineHandle> {
    const { runId, type: workflowType } = await this.temporal.workflow.getHandle(workflowId).describe();
    const started = { runId, attached: true };
    if (workflowType === 'generation') return new GenerationHandle(this.temporal, workflowId, started);
    if (workflowType === 'pipeline') return new PipelineHandle(this.temporal, workflowId, started);
    throw new NotFollowableError(workflowId, workflowType);
  }
}
