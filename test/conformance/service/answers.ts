import { expect } from 'vitest';
import type { z } from 'zod';
import { PREFIXED_CODES } from '../../../src/api/codes.ts';
import { type ErrorBody, errorBodySchema } from '../../../src/api/error-body.ts';
import { ERROR_PREFIX, type Family } from '../../../src/api/family.ts';
import { submittedSchema } from '../../../src/api/records/generation-record.ts';
import type { Answer } from './caller.ts';

/** The record of an accepted submit. It fails the test if the answer is none. */
export function accepted({ status, body }: Answer): z.infer<typeof submittedSchema> {
  expect([status, body]).toEqual([expect.toSatisfy(isSuccess, 'a 2xx'), expect.anything()]);
  return submittedSchema.parse(body);
}

/** The error body of a refusal that must have this code, and this status where one is given. */
export function refused({ status, body }: Answer, code: string, expectedStatus?: number): ErrorBody {
  const error = errorBodySchema.parse(body);
  expect([status, error.code]).toEqual([expectedStatus ?? expect.toSatisfy(isError, 'a 4xx or 5xx'), code]);
  return error;
}

/** The code as the family has it on the wire. */
export function wireCode(code: string, family: Family): string {
  return PREFIXED.has(code) ? `${ERROR_PREFIX[family]}_${code}` : code;
}

const PREFIXED: ReadonlySet<string> = new Set(PREFIXED_CODES);

function isSuccess(status: unknown): boolean {
  return typeof status === 'number' && status >= 200 && status < 300;
}

function isError(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 600;
}
