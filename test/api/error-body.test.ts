import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorBodySchema, readErrorBodySchema } from '../../src/api/error-body.ts';

const entry = { path: 'prompt', message: 'is required', code: 'invalid_type' };
const body = {
  code: 'IMAGE_GENERATION_INVALID_INPUT',
  message: 'Invalid.',
  error: 'INVALID_INPUT',
  errors: [entry],
  details: { trace: ['x'] },
};
const fits = (value: unknown) => errorBodySchema.safeParse(value).success;

describe('the contract of an error body', () => {
  it('has a code and a message, may have the others, and has no further properties', () => {
    expect([fits(body), fits({ code: 'UNAUTHORIZED', message: '' })]).toEqual([true, true]);
    for (const details of [null, 'x', 7, [1], {}]) expect(fits({ ...body, details })).toBe(true);
    for (const wrong of [
      { code: undefined },
      { code: '' },
      { code: 401 },
      { message: undefined },
      { error: 7 },
    ]) {
      expect([wrong, fits({ ...body, ...wrong })]).toEqual([wrong, false]);
    }
    expect(fits({ ...body, status: 422 })).toBe(false);
  });

  it.each(['path', 'message', 'code'])('has %s as a string in each entry of errors', (name) => {
    expect(fits({ ...body, errors: [{ ...entry, [name]: undefined }] })).toBe(false);
    expect(fits({ ...body, errors: [{ ...entry, [name]: 7 }] })).toBe(false);
    expect(fits({ ...body, errors: [{ ...entry, also: 'x' }] })).toBe(false);
  });
});

describe('the reader of error bodies', () => {
  it('needs a code alone, and takes what it can read of the rest', () => {
    expect(readErrorBodySchema.parse({ ...body, status: 422 })).toEqual({ ...body, status: 422 });
    expect(readErrorBodySchema.parse({ code: 'X', message: 7, errors: 'none' })).toEqual({
      code: 'X',
      message: '',
      errors: undefined,
    });
    expect(
      readErrorBodySchema.parse({ code: 'X', errors: [entry, 'prompt', { path: 'n' }, null] }).errors,
    ).toEqual([entry]);
    expect(
      readErrorBodySchema.parse({ code: 'X', errors: [{ path: 'n', message: 'too large' }] }).errors,
    ).toEqual([{ path: 'n', message: 'too large' }]);
  });

  it('cuts what is longer than a person reads: it ends up in payloads', () => {
    const endless = 'x'.repeat(3_000_000);
    const errors = Array.from({ length: 30_000 }, () => ({ path: endless.slice(0, 300), message: 'no' }));
    const read = readErrorBodySchema.parse({ code: endless, message: endless, errors });
    expect(read).toMatchObject({
      code: expect.stringMatching(/^X{100}$/),
      message: expect.stringMatching(/…$/),
    });
    expect(JSON.stringify(read).length).toBeLessThan(20_000);
  });

  it.each([
    ['IMAGE_GENERATION_TIMEOUT', 'IMAGE_GENERATION_TIMEOUT'],
    ['rate-limited: slow\u009b2J down', 'RATE_LIMITED_SLOW_2J_DOWN'],
    ['half \ud800 of a pair', 'HALF_OF_A_PAIR'],
    ['zu schnell für uns', 'ZU_SCHNELL_F_R_UNS'],
    ['\ud800', 'UNREADABLE_CODE'],
    ['…', 'UNREADABLE_CODE'],
  ])('takes of a code what a failure’s type may be: %j', (said, code) => {
    expect(readErrorBodySchema.parse({ code: said }).code).toBe(code);
  });

  it('never throws, and keeps details of any shape', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readErrorBodySchema.safeParse(value);
        const read = readErrorBodySchema.parse({ code: 'X', message: value, errors: value, details: value });
        expect(read.details).toBe(value);
        expect(typeof read.message).toBe('string');
      }),
    );
  });
});
