import { meaningOf } from '../../contract/failures/failures.ts';
import type { StepItem } from '../../contract/pipeline.ts';
import { itemsOf } from '../../contract/steps/step-items.ts';
import * as classes from './failure-classes.ts';
import { RunFailedError, type RunFailure } from './run-failed-error.ts';

const CLASSES: ReadonlyMap<string, typeof RunFailedError> = new Map(Object.entries(classes));

/** The error of a failure, of the class that goes by its type. */
export function failureError(failure: RunFailure): RunFailedError {
  const FailureClass = CLASSES.get(meaningOf(failure.type).error) ?? RunFailedError;
  return new FailureClass({ ...failure, cause: failure.cause ?? causeOf(failure) });
}

/** The error of a pipeline's first failed step. */
function causeOf({ details }: RunFailure): RunFailedError | undefined {
  if (details === null || !('steps' in details)) return undefined;
  const failed = Object.values(details.steps)
    .flatMap(itemsOf)
    .find((item): item is Extract<StepItem, { status: 'FAILED' }> => item.status === 'FAILED');
  if (failed === undefined) return undefined;
  const { workflowId, failure } = failed;
  // A generation's first detail, as its own failure has it.
  const own = failure.details as RunFailure['details'];
  return failureError({ kind: 'generation', workflowId, ...failure, details: own });
}
