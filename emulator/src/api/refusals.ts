import {
  type CREDITS_CODES,
  GET_CODES,
  type GenerationCode,
  PREFIXED_CODES,
} from '../../../src/api/codes.ts';
import type { ErrorBody } from '../../../src/api/error-body.ts';
import { ERROR_PREFIX, type Family } from '../../../src/api/family.ts';
import type { Assumptions } from '../assumptions.ts';
import { type Answer, errorAnswer } from '../http/answer.ts';

const PREFIXED: ReadonlySet<string> = new Set(PREFIXED_CODES);

/** What the service says with each code, as an answer and as the message of a failed task. */
export const MESSAGES: Readonly<Record<GenerationCode, string>> = {
  INVALID_INPUT: 'The request input is invalid.',
  INSUFFICIENT_CREDITS: 'Not enough credits for this request.',
  CONTENT_REJECTED: 'The content was rejected by the moderation policy.',
  RATE_LIMITED: 'Rate limit exceeded. Retry later.',
  FAILED: 'The generation failed.',
  PROVIDER_UNAVAILABLE: 'The upstream provider is temporarily unavailable.',
  TIMEOUT: 'The generation timed out.',
  UNAUTHORIZED: 'The API key is missing, invalid or revoked.',
  WORKSPACE_FORBIDDEN: 'This API key has no access to the workspace.',
  TEMPLATE_NOT_FOUND: 'The template does not exist.',
};

/** The code as it goes over the wire: `RATE_LIMITED` → `IMAGE_GENERATION_RATE_LIMITED`. */
export function withPrefix(code: string, family: Family): string {
  return PREFIXED.has(code) ? `${ERROR_PREFIX[family]}_${code}` : code;
}

/** What a refusal says beside its code. */
export type Refusal = Partial<ErrorBody> & { status?: number | undefined; headers?: Record<string, string> };

/** A submit's refusal, with the status that the assumptions give the code. */
export function refuseSubmit(
  assumptions: Assumptions,
  family: Family,
  code: GenerationCode,
  more: Refusal = {},
): Answer {
  const { status, headers, ...body } = more;
  return errorAnswer(
    status ?? assumptions.submitErrorStatus[code],
    {
      code: withPrefix(code, family),
      message: MESSAGES[code],
      // The specification names the legacy `error` for this code alone.
      ...(code === 'INSUFFICIENT_CREDITS' ? { error: code } : {}),
      ...body,
    },
    headers,
  );
}

/** A refusal of `GET generation/{id}`: the specification fixes which code goes with which status. */
export function refuseGet(status: keyof typeof GET_CODES, message: string): Answer {
  return errorAnswer(status, { code: GET_CODES[status], message });
}

export function refuseCredits(
  assumptions: Assumptions,
  code: (typeof CREDITS_CODES)[number],
  message: string,
): Answer {
  return errorAnswer(assumptions.creditsErrorStatus[code], { code, message });
}
