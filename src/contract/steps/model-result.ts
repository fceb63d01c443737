import type { ModelOutputs } from '../../api/models/model-types.ts';
import type { ModelId } from '../../api/models/registry.ts';
import type { OutputData } from '../../api/records/output-data.ts';
import type { GenerationOutput, GenerationResult } from '../generation.ts';

/** What a step with a certain model returns: a pipeline's result may leave out its outputs, to stay small. */
export interface StepModelResult<Id extends ModelId = ModelId> extends GenerationResult {
  model: Id;
  /**
   * The API's `data`, untouched, as its specification describes it; nobody has checked it. Null where it was too large
   * and lies at `dataUri`. What was made is in `outputs`, whatever shape this has.
   */
  data: OutputData<ModelOutputs[Id]> | string | null;
}

/**
 * What a generation with a certain model returns: `GenerationResult`, as that model makes it. At least one output is
 * there: a task without any fails with OUTPUT_UNAVAILABLE.
 */
export interface ModelResult<Id extends ModelId = ModelId> extends StepModelResult<Id> {
  /** The files, in the API's order: each with its stored copy, which stays when the API's URL expires. */
  outputs: [GenerationOutput, ...GenerationOutput[]];
}
