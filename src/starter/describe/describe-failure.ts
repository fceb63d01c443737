import { whatNext } from '../../contract/failures/what-next.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { oneLine } from '../../terminal/printable.ts';
import { describeAttempts, describeCost } from './describe-generation.ts';
import { describeNext } from './describe-next.ts';
import { describePipelineResult } from './describe-pipeline.ts';
import { detailsOf, type RunFailure } from './run-failure.ts';

/** `TYPE: message`, and one line for each field that was wrong. */
export function describeFailure(failure: RunFailure): string {
  const { type, message } = failure;
  const { errors = [] } = detailsOf(failure);
  if (errors.length === 0) return `${type}: ${oneLine(message)}`;
  return [
    `${type}: the request is invalid`,
    ...errors.map((error) => `  ${oneLine(error.path)} ${oneLine(error.message)}`),
  ].join('\n');
}

/**
 * What a run that failed had tried, what that cost, and what can be done next.
 *
 * @param type the workflow's
 */
export function describeLoss(workflowId: string, failure: RunFailure, type: string): string {
  const { steps, attempts = [], taskId = null, usage, charged } = detailsOf(failure);
  const lost =
    steps === undefined
      ? [
          ...(attempts.length === 0 ? [] : [describeAttempts(attempts)]),
          ...(taskId === null ? [] : [`Left at the API: task ${oneLine(taskId)}`]),
          `Spent: ${usage === undefined ? 'unknown' : describeCost(usage, charged)}`,
        ]
      : [describePipelineResult(detailsOf(failure) as PipelineResult)]; // it has steps
  return [
    ...lost,
    describeNext(whatNext({ kind: type, workflowId, type: failure.type, details: detailsOf(failure) })),
  ].join('\n');
}
