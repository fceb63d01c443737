import { loadClientConfig } from '../config/client-config.ts';
import type { Decision, DecisionAnswer } from '../contract/generation.ts';
import type { PipelineProgress } from '../contract/pipeline.ts';
import { cancelRun } from '../temporal/cancel-run.ts';
import { connectClient } from '../temporal/connection.ts';
import { resetPoints, resetRun } from '../temporal/reset-run.ts';
import { AskingClient } from './asking/asking-client.ts';
import type { BatchHandle } from './batch-handle.ts';
import { RerunRefusedError } from './failures/rerun-refused-error.ts';
import { call } from './following/call.ts';
import { endsOf } from './following/ends-of.ts';
import type { AnyHandle, HandleOf } from './handle-of.ts';
import type { CallOptions } from './options.ts';
import { type PipelineDecision } from './pipeline-handle.ts';
import { type RerunChanges, rerunWith } from './starting/rerun.ts';
import { retryRun } from './starting/retry.ts';

/**
 * Starts generations and pipelines for a backend service and hands back typed results.
 *
 * ```ts
 * const darkroom = await DarkroomClient.connect();
 * const { outputs } = await darkroom.generate('image-l', { prompt: 'a red fox in snow' }, { key: order.id });
 * ```
 */
export class DarkroomClient extends AskingClient {
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
    darkroom.connection = client.connection;
    darkroom.env = env;
    return darkroom;
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
      return await this.attached(workflowId);
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
    const sent = await this.files.sent(changes, endsOf(options));
    return (await call(
      this.temporal,
      options,
      async () => await this.attached(await rerunWith(this.temporal, workflowId, sent, this.overrides)),
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
      const { runId } = await this.attached(workflowId);
      const [first] = await resetPoints(this.temporal, { workflowId, runId });
      if (first === undefined) throw RerunRefusedError.notBegun(workflowId);
      await resetRun(this.temporal, { workflowId, runId }, first, 'reset by the client');
      return await this.attached(workflowId);
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
    const sent = await this.files.sent(decision, endsOf(options));
    return await call(this.temporal, options, () => this.#decide(workflowId, sent));
  }

  async #decide(
    workflowId: string,
    decision: Decision | PipelineDecision,
  ): Promise<DecisionAnswer | PipelineProgress> {
    const handle = await this.attached(workflowId);
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
