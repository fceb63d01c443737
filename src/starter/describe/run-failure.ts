import { isRecord } from '../../api/json/is-record.ts';
import type { FailureDetails } from '../../contract/generation.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';

/** A run's failure as the contract has it; `details` is its first detail, or a cancelled run's memo. */
export interface RunFailure {
  type: string;
  message: string;
  details: unknown;
}

/** What a cancelled generation leaves in its memo: `taskId` is of the task that goes on at the API. */
interface LeftBehind extends FailureDetails {
  taskId: string | null;
}

/** What a failure's details tell, as far as they are there: of a generation its attempts, of a pipeline its steps. */
export function detailsOf({ details }: RunFailure): Partial<LeftBehind> & Partial<PipelineResult> {
  return isRecord(details) ? details : {};
}
