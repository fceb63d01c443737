import { type ModelId } from '../../api/models/registry.ts';
import type { Progress } from '../../contract/generation.ts';
import type { PipelineProgress, PipelineRequest, PipelineResult } from '../../contract/pipeline.ts';
import type { ModelResult } from '../../contract/steps/model-result.ts';
import { FilesClient } from '../files/files-client.ts';
import type { ClientInput } from '../files/input-types.ts';
import { unsent } from '../files/map-files.ts';
import { call } from '../following/call.ts';
import { endsOf } from '../following/ends-of.ts';
import { GenerationHandle } from '../generation-handle.ts';
import type { CallOptions, GenerationOptions, StartOptions, WatchOptions } from '../options.ts';
import { PipelineHandle } from '../pipeline-handle.ts';
import { checkStart } from './check-start.ts';
import { startAndWait } from './start-and-wait.ts';
import { startOrAttach } from './start-or-attach.ts';
import type { StartRequest } from './start-request.ts';
import { generationStart, pipelineStart } from './start-request.ts';

/** Starts generations and pipelines. */
export abstract class StartingClient extends FilesClient {
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
      const start = await this.prepared(pipelineStart(what, second, this.taskQueue), second);
      return await call(temporal, second, async () => {
        return new PipelineHandle(temporal, start.workflowId, await startOrAttach(temporal, start));
      });
    }
    const start = await this.prepared(generationStart(what, { ...second }, third, this.taskQueue), third);
    return await call(temporal, third, async () => {
      return new GenerationHandle(temporal, start.workflowId, await startOrAttach(temporal, start));
    });
  }

  /** Checked, and then with its files in the store: what is wrong is told before they are uploaded. */
  protected async prepared(start: StartRequest, options: CallOptions): Promise<StartRequest> {
    options.signal?.throwIfAborted();
    checkStart(unsent(start), this.overrides);
    return await this.files.sent(start, endsOf(options));
  }
}
