import { type GenerationCode, generationCode } from '../codes.ts';
import { readErrorBodySchema } from '../error-body.ts';
import type { FieldError } from '../input/field-error.ts';
import { type AcceptedTask, acceptedSchema } from '../records/generation-record.ts';
import type { ApiAnswer } from './api-answer.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { TransportFailure } from './transport-failure.ts';

/**
 * How a submit ended. There are three ways, and only three: accepted (we hold the task's id), rejected (no task
 * was made, for sure), unknown (a task may have been made and charged).
 */
export type SubmitOutcome =
  | { kind: 'accepted'; task: AcceptedTask }
  | {
      kind: 'rejected';
      /** The API's own code, or ours where it gave none. */
      code: string;
      /** The row of the policy table that paces a retry; undefined: never retried. */
      row: GenerationCode | undefined;
      message: string;
      errors?: FieldError[];
      retryAfter?: number;
    }
  | { kind: 'unknown'; reason: string };

/** Statuses without the API's error body that still say for sure that no task was made. */
const BARE_STATUSES: Readonly<Record<number, { code: string; row?: GenerationCode; hint: string }>> = {
  301: { code: 'INVALID_REQUEST', hint: 'it redirects; check DARKROOM_API_URL' },
  307: { code: 'INVALID_REQUEST', hint: 'it redirects; check DARKROOM_API_URL' },
  308: { code: 'INVALID_REQUEST', hint: 'it redirects; check DARKROOM_API_URL' },
  400: { code: 'INVALID_REQUEST', hint: 'it does not take the request' },
  401: { code: 'UNAUTHORIZED', hint: 'it does not take the API key; check DARKROOM_API_KEY' },
  402: { code: 'INSUFFICIENT_CREDITS', row: 'INSUFFICIENT_CREDITS', hint: 'it asks for credits' },
  403: { code: 'WORKSPACE_FORBIDDEN', hint: 'the API key may not do this' },
  404: {
    code: 'INVALID_REQUEST',
    hint: "it does not know this path; check DARKROOM_API_URL or the model's path",
  },
  405: { code: 'INVALID_REQUEST', hint: 'it does not take POST here; check DARKROOM_API_URL' },
  413: { code: 'INVALID_REQUEST', hint: 'the request is too large for it' },
  415: {
    code: 'INVALID_REQUEST',
    hint: 'it does not take JSON here, or no multipart/form-data, in which files are sent',
  },
  422: { code: 'INVALID_REQUEST', hint: 'it finds the input invalid' },
  429: { code: 'RATE_LIMITED', row: 'RATE_LIMITED', hint: 'it asks to slow down' },
};

/**
 * Codes whose arrival does not say that nothing was bought: a time-out may follow acceptance, and so may a
 * failure on the server's side (5xx). Design: "Generation, step by step", 1.
 */
function leavesDoubt(code: GenerationCode, status: number): boolean {
  return code === 'TIMEOUT' || (code === 'FAILED' && status >= 500);
}

/** Sorts an HTTP answer to a submit into the three outcomes. */
export function classifyAnswer(answer: ApiAnswer, now: number): SubmitOutcome {
  const { status, body } = answer;
  if (status >= 200 && status < 300) {
    const accepted = acceptedSchema.safeParse(body);
    if (accepted.success) return { kind: 'accepted', task: accepted.data };
    return { kind: 'unknown', reason: `the answer ${status} carries no task id` };
  }
  const retryAfter = parseRetryAfter(answer.headers['retry-after'], now);
  const error = readErrorBodySchema.safeParse(body);
  if (error.success) {
    const { code, message, errors } = error.data;
    const row = generationCode(code);
    // A code without a row is as sure as the status alone: a gateway, too, may answer so after it has forwarded.
    if (row === undefined ? !(status in BARE_STATUSES) || status < 400 : leavesDoubt(row, status)) {
      return { kind: 'unknown', reason: `the answer ${status} ${code} does not say whether a task was made` };
    }
    return {
      kind: 'rejected',
      code,
      row,
      message: message === '' ? `the API answered ${status} ${code}` : message,
      ...(errors === undefined ? {} : { errors: errors.map(({ path, message }) => ({ path, message })) }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
  }
  const bare = BARE_STATUSES[status];
  if (bare !== undefined) {
    return {
      kind: 'rejected',
      code: bare.code,
      row: bare.row,
      message: `the API answered ${status} without an error body: ${bare.hint}`,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
  }
  return { kind: 'unknown', reason: `the answer ${status} has no error body that we know` };
}

/** Sorts an exchange that gave no answer. A connection that never opened is a provider that is unavailable. */
export function classifyFailure(failure: TransportFailure): SubmitOutcome {
  if (failure.sent === 'maybe') return { kind: 'unknown', reason: failure.message };
  return {
    kind: 'rejected',
    code: 'PROVIDER_UNAVAILABLE',
    row: 'PROVIDER_UNAVAILABLE',
    message: failure.message,
  };
}
