import { ERROR_PREFIX } from './family.ts';

/**
 * The codes that carry a family's prefix, without it. The API specification writes them `P_RATE_LIMITED`;
 * on the wire they are `IMAGE_GENERATION_RATE_LIMITED` and so on.
 */
export const PREFIXED_CODES = [
  'INVALID_INPUT',
  'INSUFFICIENT_CREDITS',
  'CONTENT_REJECTED',
  'RATE_LIMITED',
  'FAILED',
  'PROVIDER_UNAVAILABLE',
  'TIMEOUT',
] as const;

/** Every code that a submit or a failed task can carry, without its prefix. */
export const GENERATION_CODES = [
  ...PREFIXED_CODES,
  'UNAUTHORIZED',
  'WORKSPACE_FORBIDDEN',
  'TEMPLATE_NOT_FOUND',
] as const;

export type GenerationCode = (typeof GENERATION_CODES)[number];

/** Codes of `GET generation/{id}` with their HTTP status (API specification). */
export const GET_CODES = {
  400: 'INVALID_INPUT',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'PREDICTION_NOT_FOUND',
  422: 'INVALID_INPUT',
} as const;

/** Codes of `GET credits`; their statuses are not shown. */
export const CREDITS_CODES = ['INVALID_INPUT', 'UNAUTHORIZED', 'WORKSPACE_FORBIDDEN', 'NOT_FOUND'] as const;

const PREFIXES = Object.values(ERROR_PREFIX).map((prefix) => `${prefix}_`);
const KNOWN: ReadonlySet<string> = new Set(GENERATION_CODES);

/**
 * `IMAGE_GENERATION_TIMEOUT` → `TIMEOUT`; a code without a known prefix is returned as it is.
 */
export function withoutPrefix(code: string): string {
  const prefix = PREFIXES.find((candidate) => code.startsWith(candidate));
  return prefix === undefined ? code : code.slice(prefix.length);
}

/** The code without its prefix when it is one that the API specification lists for submits and tasks. */
export function generationCode(code: string | null | undefined): GenerationCode | undefined {
  if (code === null || code === undefined) return undefined;
  const bare = withoutPrefix(code);
  return KNOWN.has(bare) ? (bare as GenerationCode) : undefined; // membership was checked on this line
}
