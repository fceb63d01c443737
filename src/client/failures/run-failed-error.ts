import { withoutPrefix } from '../../api/codes.ts';
import type { FieldError } from '../../api/input/field-error.ts';
import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import { type Call, whatNext } from '../../contract/failures/what-next.ts';
import type { Attempt, FailureDetails } from '../../contract/generation.ts';
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
  /** Of a pipeline: the error of the step that has failed first, in the order of the request. */
  cause?: RunFailedError | undefined;
}

/**
 * A generation or a pipeline ended without a result. Each type of failure is a class of its own below this one
 * (`ContentRejectedError`, `TaskOverdueError`, …); a code that none of them is for comes as this class itself. The message
 * tells all of it: what happened, every wrong field, what was tried, what it cost, and what to do.
 */
export class RunFailedError extends Error {
  override readonly name: string = 'RunFailedError';
  readonly kind: WorkflowKind;
  /** Of a pipeline: the error of its failed step, of the class that goes by that one's type. */
  declare readonly cause?: RunFailedError;
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

  constructor({ kind, workflowId, type, message, details, cause }: RunFailure) {
    const {
      attempts = [],
      usage = NO_USAGE,
      charged = usage,
      errors = [],
    }: Partial<FailureDetails> = details ?? {};
    const code = withoutPrefix(type);
    const advice = whatNext({ kind, workflowId, type, details: details ?? {} })
      .map(({ what, calls }) => [what, ...calls.flatMap(inCode)].join(' '))
      .join('\n  ');
    const cost = details === null ? 'what it cost is not known' : costOf(attempts, usage, charged);
    super(
      [
        `${type}: ${errors.length === 0 ? message : 'the request is invalid'}`,
        ...errors.map((error) => `  ${error.path} ${error.message}`),
        `  ${workflowId}: ${cost}`,
        `  ${advice}`,
      ].join('\n'),
      cause === undefined ? undefined : { cause },
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

  /** Of a pipeline: the result of every step that there is; undefined where it ended before it had any. */
  get result(): PipelineResult | undefined {
    return this.details !== null && 'steps' in this.details ? this.details : undefined;
  }
}

/** `In code: darkroom.rerun("generation/order-17")`; nothing where the caller has to say what is changed. */
function inCode({ call, workflowId, set, change }: Call): string[] {
  if (change !== undefined) return [];
  const words = [workflowId, ...(set === undefined ? [] : [nested(set)])].map((word) => JSON.stringify(word));
  return [`In code: darkroom.${call}(${words.join(', ')})`];
}

function nested([path, value]: NonNullable<Call['set']>): unknown {
  return path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
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
