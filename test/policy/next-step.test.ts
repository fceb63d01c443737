import { describe, expect, it } from 'vitest';
import { GENERATION_CODES, type GenerationCode } from '../../src/api/codes.ts';
import { drawsSeeds, nextStep, type Setback } from '../../src/policy/next-step.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';

const after = (setback: Partial<Setback> & { code: string }, policy = DEFAULT_POLICY) =>
  nextStep({ column: 'task', count: 1, ...setback }, policy, () => 0.5);

describe('the policy table after a failed task', () => {
  const RESUBMISSIONS: Record<Exclude<GenerationCode, 'INSUFFICIENT_CREDITS'>, number> = {
    RATE_LIMITED: 5,
    PROVIDER_UNAVAILABLE: 3,
    TIMEOUT: 1,
    FAILED: 1,
    CONTENT_REJECTED: 0,
    INVALID_INPUT: 0,
    UNAUTHORIZED: 0,
    WORKSPACE_FORBIDDEN: 0,
    TEMPLATE_NOT_FOUND: 0,
  };

  it.each(Object.entries(RESUBMISSIONS))('buys again after %s at most %d time(s)', (code, times) => {
    for (let count = 1; count <= times; count += 1) {
      expect(after({ code: `VIDEO_GENERATION_${code}`, count }).kind).toBe('resubmit');
    }
    expect(after({ code: `VIDEO_GENERATION_${code}`, count: times + 1 })).toEqual({ kind: 'fail' });
  });

  it('covers every code that the API has', () => {
    expect([...Object.keys(RESUBMISSIONS), 'INSUFFICIENT_CREDITS'].sort()).toEqual(
      [...GENERATION_CODES].sort(),
    );
  });

  it('parks when credits are missing, ten times at most', () => {
    const code = 'IMAGE_GENERATION_INSUFFICIENT_CREDITS';
    expect(after({ code, count: 10 })).toEqual({
      kind: 'park',
      pace: DEFAULT_POLICY.retries.INSUFFICIENT_CREDITS,
    });
    expect(after({ code, count: 11 })).toEqual({ kind: 'fail' });
  });

  it('takes a new seed after rejected content, when a policy opts in', () => {
    const { policy } = parsePolicy({ retries: { CONTENT_REJECTED: { resubmissions: 2 } } }, DEFAULT_POLICY);
    expect(after({ code: 'IMAGE_GENERATION_CONTENT_REJECTED', count: 2 }, policy)).toMatchObject({
      newSeed: true,
    });
    expect(after({ code: 'IMAGE_GENERATION_FAILED' }, policy)).toMatchObject({ newSeed: false });
  });

  it('fails after a code that nobody has told us of', () => {
    expect(after({ code: 'IMAGE_GENERATION_MELTED' })).toEqual({ kind: 'fail' });
    expect(nextStep({ column: 'task', code: undefined, count: 1 }, DEFAULT_POLICY, () => 0)).toEqual({
      kind: 'fail',
    });
  });
});

describe('the policy table after a rejected submit', () => {
  it.each([
    ['RATE_LIMITED', 'retry'],
    ['PROVIDER_UNAVAILABLE', 'retry'],
    ['INSUFFICIENT_CREDITS', 'park'],
    ['TIMEOUT', 'fail'],
    ['FAILED', 'fail'],
    ['CONTENT_REJECTED', 'fail'],
    ['INVALID_INPUT', 'fail'],
    ['UNAUTHORIZED', 'fail'],
    ['WORKSPACE_FORBIDDEN', 'fail'],
    ['TEMPLATE_NOT_FOUND', 'fail'],
  ])('%s: %s', (code, kind) => {
    expect(after({ column: 'submit', code }).kind).toBe(kind);
  });

  it('retries in place with growing pauses until the window is used up', () => {
    const code = 'RATE_LIMITED';
    expect(after({ column: 'submit', code, count: 1 })).toEqual({ kind: 'retry', delay: 2_000 });
    expect(after({ column: 'submit', code, count: 3 })).toEqual({ kind: 'retry', delay: 8_000 });
    expect(after({ column: 'submit', code, count: 3, waited: 3_600_000 - 8_000 }).kind).toBe('retry');
    expect(after({ column: 'submit', code, count: 3, waited: 3_600_000 - 7_999 })).toEqual({ kind: 'fail' });
  });

  it('waits out what the API asks for', () => {
    expect(after({ column: 'submit', code: 'RATE_LIMITED', retryAfter: 90_000 })).toMatchObject({
      kind: 'retry',
      delay: expect.closeTo(94_500, -3) as number,
    });
  });

  it('parks for credits however often it takes: a rejected submit has bought nothing', () => {
    expect(after({ column: 'submit', code: 'INSUFFICIENT_CREDITS', count: 99 }).kind).toBe('park');
  });

  it('submits rejected content again with a new seed, when a policy opts in', () => {
    const { policy } = parsePolicy({ retries: { CONTENT_REJECTED: { resubmissions: 1 } } }, DEFAULT_POLICY);
    expect(after({ column: 'submit', code: 'CONTENT_REJECTED' }, policy)).toMatchObject({
      kind: 'resubmit',
      newSeed: true,
    });
  });
});

describe('another seed', () => {
  it.each([
    ['CONTENT_REJECTED', 1, true],
    ['CONTENT_REJECTED', 0, false],
    ['TIMEOUT', 9, false],
  ] as const)(
    'may be drawn by a policy with resubmissions after %s: %d: %s',
    (code, resubmissions, isDrawn) => {
      const row = DEFAULT_POLICY.retries[code];
      const retries = { ...DEFAULT_POLICY.retries, [code]: { ...row, resubmissions } };
      expect(drawsSeeds({ retries })).toBe(isDrawn);
    },
  );

  it.each(['onSubmit', 'onTask'] as const)('may be drawn by one row of %s alone', (column) => {
    const none = { resubmissions: 1, onSubmit: 'fail', onTask: 'fail' } as const;
    const row = { ...DEFAULT_POLICY.retries.TIMEOUT, ...none, [column]: 'new seed' };
    expect(drawsSeeds({ retries: { ...DEFAULT_POLICY.retries, TIMEOUT: row } })).toBe(true);
  });
});
