import { meaningOf } from '../../contract/failures/failures.ts';
import * as classes from './failure-classes.ts';
import { RunFailedError, type RunFailure } from './run-failed-error.ts';

const CLASSES: ReadonlyMap<string, typeof RunFailedError> = new Map(Object.entries(classes));

/** The error of a failure, of the class that goes by its type. */
export function failureError(failure: RunFailure): RunFailedError {
  const FailureClass = CLASSES.get(meaningOf(failure.type).error) ?? RunFailedError;
  return new FailureClass(failure);
}
