import { ApplicationFailure } from '@temporalio/workflow';
import { withoutPrefix } from '../api/codes.ts';
import { isRecord } from '../api/json/is-record.ts';
import type { FailureDetails } from '../contract/generation.ts';
import type { PipelineResult } from '../contract/pipeline.ts';

/** How a generation or a pipeline failed. */
export interface DarkroomFailure {
  /** The API's code with its prefix, or one of Darkroom's types. */
  type: string;
  /** The same without the prefix of a family: `CONTENT_REJECTED` of images as of videos. */
  code: string;
  message: string;
  /** What was tried and what it cost; of a pipeline its result. Null where the run could leave nothing behind. */
  details: FailureDetails | PipelineResult | null;
}

/** Reads what `generate` or `pipeline` has thrown; undefined for anything else, a cancellation among it. */
export function failureOf(error: unknown): DarkroomFailure | undefined {
  if (!(error instanceof ApplicationFailure)) return undefined;
  const { type, message, details } = error;
  if (type === undefined || type === null) return undefined;
  const [first]: unknown[] = details ?? [];
  return {
    type,
    code: withoutPrefix(type),
    message,
    details: isRecord(first) ? (first as unknown as FailureDetails | PipelineResult) : null, // both workflows' contract
  };
}
