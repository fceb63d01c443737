import { isRecord } from '../../api/is-record.ts';
import type { FailureDetails } from '../../contract/generation.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';

/** A run's failure as the contract has it; `details` is its first detail, or a cancelled run's memo. */
export interface RunFailure {
  type: string;
  message: string;
  details: unknown;
}

/** What a failure's details tell, as far as they are there: of a generation its attempts, of a pipeline its steps. */
export function detailsOf({ details }: RunFailure): Partial<FailureDetails> & Partial<PipelineResult> {
  return isRecord(details) ? details : {};
}
