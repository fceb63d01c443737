import { withoutPrefix } from '../../api/codes.ts';
import type { FieldError } from '../../api/field-error.ts';
import { NO_USAGE, type Usage } from '../../api/usage.ts';
import { failureAdvice } from '../../contract/failure-advice.ts';
import type { Attempt, FailureDetails } from '../../contract/generation.ts';
import { failedItems, mayStillEnd } from '../../contract/may-still-end.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import type { WorkflowKind } from '../workflow-id.ts';

/** How a run failed, as it is read from Temporal. */
export interface RunFailure {
  kind: WorkflowKind;
  workflowId: string;
  /** The API's code with its prefix, one of Darkroom's types, or CANCELLED, TERMINATED or TIMED_OUT. */
  type: string;
  message: string;
  /** Null where the run could leave nothing behind. */
  details: FailureDetails | PipelineResult | null;
}

/** Failures that the same request would meet again. */
const NEEDS_CHANGE: ReadonlySet<string> = new Set([
  'INVALID_REQUEST',
  'INVALID_INPUT',
  'CONTENT_REJECTED',
  'TEMPLATE_NOT_FOUND',
]);

/** How to try again without a change; none where one is needed. */
function waysAgain(kind: WorkflowKind, type: string, steps: PipelineResult['steps']): ('rerun' | 'reset')[] {
  if (NEEDS_CHANGE.has(withoutPrefix(type))) return [];
  if (kind === 'generation' || !mayStillEnd(type, steps)) return ['rerun'];
  // A Reset would buy such a step again as it is, or give up on it again by the same policy.
  const isStubborn = failedItems(steps).some(
    ({ failure: { type: cause } }) =>
      NEEDS_CHANGE.has(withoutPrefix(cause)) || cause === 'SUBMISSION_UNKNOWN',
  );
  return isStubborn ? [] : ['reset'];
}

/**
 * A generation or a pipeline ended without a result. Each type of failure is a class of its own below this one
 * (`ContentRejectedError`, `TaskOverdueError`, …); a code that is none of theirs comes as this class itself. The message
 * tells all of it: what happened, every wrong field, what was tried, what it cost, and what to do.
 */
export class RunFailedError extends Error {
  override readonly name: string = 'RunFailedError';
  readonly kind: WorkflowKind;
  readonly workflowId: string;
  /** The API's code with its prefix (`IMAGE_GENERATION_CONTENT_REJECTED`), one of Darkroom's types (`TASK_OVERDUE`). */
  readonly type: string;
  /** The type without the prefix of a family: `CONTENT_REJECTED` of images as of videos. */
  readonly code: string;
  /** What happened, in the words of whoever said so. */
  readonly reason: string;
  /** The failure's first detail as it came; null where the run could leave nothing behind. */
  readonly details: FailureDetails | PipelineResult | null;
  /** Every task that was bought or may have been, and a submit that was rejected; of a pipeline, see `result`. */
  readonly attempts: readonly Attempt[];
  /** Credits: all attempts together. */
  readonly usage: Usage;
  /** Credits: what this very run has bought, without what it adopted. */
  readonly charged: Usage;
  /** Each wrong field of a request that was refused. */
  readonly errors: readonly FieldError[];
  /** What can be done about it. */
  readonly advice: string;

  constructor({ kind, workflowId, type, message, details }: RunFailure) {
    const {
      attempts = [],
      usage = NO_USAGE,
      charged = usage,
      errors = [],
    }: Partial<FailureDetails> = details ?? {};
    const code = withoutPrefix(type);
    const { steps = {} }: Partial<PipelineResult> = details !== null && 'steps' in details ? details : {};
    const inCode = waysAgain(kind, type, steps).map(
      (way) => ` In code: darkroom.${way}(${JSON.stringify(workflowId)})`,
    );
    const advice = [failureAdvice(type), ...inCode].join('');
    const cost = details === null ? 'what it cost is not known' : costOf(attempts, usage, charged);
    super(
      [
        `${type}: ${errors.length === 0 ? message : 'the request is invalid'}`,
        ...errors.map((error) => `  ${error.path} ${error.message}`),
        `  ${workflowId}: ${cost}`,
        `  ${advice}`,
      ].join('\n'),
    );
    this.kind = kind;
    this.workflowId = workflowId;
    this.type = type;
    this.code = code;
    this.reason = message;
    this.details = details;
    this.attempts = attempts;
    this.usage = usage;
    this.charged = charged;
    this.errors = errors;
    this.advice = advice;
  }
}

function costOf(attempts: readonly Attempt[], usage: Usage, charged: Usage): string {
  const outcomes = attempts.map(({ outcome }) => outcome).join(', ');
  const tried =
    attempts.length === 1 ? `1 attempt (${outcomes})` : `${attempts.length} attempts (${outcomes})`;
  const earlier = usage.total - charged.total;
  return [
    ...(attempts.length === 0 ? [] : [tried]),
    `${usage.total} credits spent${earlier > 0 ? `, ${earlier} of them by earlier runs` : ''}`,
  ].join(', ');
}
