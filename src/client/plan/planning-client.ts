import { describeModel, describeModels, type ModelDescription } from '../../api/models/describe.ts';
import { MODELS, type ModelId } from '../../api/models/registry.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import type { Credits } from '../asking/read-credits.ts';
import { BatchClient } from '../batch/batch-client.ts';
import type { ClientInput } from '../files/input-types.ts';
import { call } from '../following/call.ts';
import type { BatchOptions, CallOptions, GenerationOptions, StartOptions } from '../options.ts';
import { generationStart, pipelineStart } from '../starting/start-request.ts';
import { type BatchPlan, planBatch } from './plan-batch.ts';
import type { PipelinePlan } from './plan-pipeline.ts';
import { planStart } from './plan-start.ts';

/** Tells what a start would buy, what models take and what credits there are; starts nothing. */
export abstract class PlanningClient extends BatchClient {
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
    const ready = await this.prepared(start, options);
    return await call(this.temporal, options, () => planStart(this.temporal, this.files, ready));
  }

  /** The same of `startBatch`: each row by itself that is not there yet. */
  async planBatch(
    pipeline: PipelineRequest,
    rows: readonly Record<string, unknown>[],
    options: BatchOptions & CallOptions = {},
  ): Promise<BatchPlan> {
    const { retryFailed } = options;
    const ready = await this.preparedRows(pipeline, rows, options);
    return await call(this.temporal, options, () =>
      planBatch(this.temporal, this.files, { ...ready, retryFailed }),
    );
  }

  /** Every model, or one: its fields with their limits, its rules, an example and its JSON Schema. */
  models(): ModelDescription[];
  models(id: ModelId): ModelDescription;
  models(id?: ModelId): ModelDescription | ModelDescription[] {
    return id === undefined
      ? describeModels(this.overrides)
      : describeModel(MODELS[id], this.overrides?.[id]);
  }

  /**
   * The balance of a workspace, asked from the API with the worker's own settings (DARKROOM_API_URL, DARKROOM_API_KEY).
   *
   * @throws ConfigError where the environment has no key, ApiUnavailable
   */
  async credits(options: CallOptions & { workspace?: string | undefined } = {}): Promise<Credits> {
    const { readCredits } = await import('../asking/read-credits.ts'); // most clients have no key
    return await readCredits(this.env, options.workspace ?? DEFAULT_WORKSPACE, options);
  }
}
