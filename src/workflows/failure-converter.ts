import { DefaultFailureConverter, type ProtoFailure } from '@temporalio/common';
import { wellFormed } from '../api/text/well-formed.ts';

/**
 * How workflows tell what they fail with. A message that was cut within a surrogate pair would stop the worker, and every
 * other one that takes the workflow over.
 */
class WellFormedFailures extends DefaultFailureConverter {
  /** Called for the causes as well. */
  override errorToFailure(...args: Parameters<DefaultFailureConverter['errorToFailure']>): ProtoFailure {
    const failure = super.errorToFailure(...args);
    const { message, stackTrace, applicationFailureInfo } = failure;
    if (message != null) failure.message = wellFormed(message);
    if (stackTrace != null) failure.stackTrace = wellFormed(stackTrace);
    if (applicationFailureInfo?.type != null)
      applicationFailureInfo.type = wellFormed(applicationFailureInfo.type);
    return failure;
  }
}

export const failureConverter: DefaultFailureConverter = new WellFormedFailures();
