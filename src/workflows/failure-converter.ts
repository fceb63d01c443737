import { DefaultFailureConverter, type ProtoFailure } from '@temporalio/common';
import { inWorkflowContext, workflowInfo } from '@temporalio/workflow';
import { wellFormed } from '../api/text/well-formed.ts';

/** Workflows whose failures say all that people need; other people's, which share a bundle with them, may want more. */
const OURS: ReadonlySet<string> = new Set(['generation', 'pipeline', 'batch', 'darkroomCheck']);

/**
 * How workflows tell what they fail with. A message that was cut within a surrogate pair would stop the worker, and every
 * other one that takes the workflow over. Of ours the Web UI shows no stack: it names files of the machine that made the
 * bundle, and pushes out of sight what has failed.
 */
class WellFormedFailures extends DefaultFailureConverter {
  /** What an activity has failed with is handed on as it came, with its causes. */
  override errorToFailure(...args: Parameters<DefaultFailureConverter['errorToFailure']>): ProtoFailure {
    const failure = super.errorToFailure(...args);
    for (let at: ProtoFailure | null | undefined = failure; at != null; at = at.cause) tidy(at);
    return failure;
  }
}

export const failureConverter: DefaultFailureConverter = new WellFormedFailures();

function tidy(failure: ProtoFailure): void {
  const { message, stackTrace, applicationFailureInfo } = failure;
  if (message != null) failure.message = wellFormed(message);
  if (stackTrace != null) failure.stackTrace = isOurs() ? '' : wellFormed(stackTrace);
  if (applicationFailureInfo?.type != null)
    applicationFailureInfo.type = wellFormed(applicationFailureInfo.type);
}

function isOurs(): boolean {
  return inWorkflowContext() && OURS.has(workflowInfo().workflowType);
}
