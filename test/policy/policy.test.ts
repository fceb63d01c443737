import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffDelay, pollingInterval } from '../../src/policy/backoff.ts';
import { formatDuration, parseDuration } from '../../src/policy/duration.ts';
import { layOver } from '../../src/policy/lay-over.ts';
import { parseBudget, parsePolicy } from '../../src/policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1.5s', 1_500],
    ['1d', 86_400_000],
    [' 10 s ', 10_000],
    ['1.25s', 1_250],
    ['12.5ms', 13],
    ['365d', 31_536_000_000],
    [31_536_000_000, 31_536_000_000],
    [250, 250],
    [1, 1],
    [0.5, 1],
  ])('reads %j as %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each([
    '',
    '10',
    's',
    '-1s',
    '0s',
    'a10s',
    '10s!',
    '366d',
    31_536_000_001,
    0.4,
    0,
    -5,
    Number.NaN,
    Infinity,
    '1e3s',
    '10 parsecs',
    null,
    {},
    true,
  ])('refuses %j', (value) => {
    expect(parseDuration(value)).toBeUndefined();
  });

  it('are shown to people in the largest sensible unit', () => {
    const shown = {
      850: '850 ms',
      1_000: '1 s',
      2_500: '2.5 s',
      61_000: '61 s',
      120_000: '2 min',
      240_000: '4 min',
      5_400_000: '90 min',
      7_200_000: '2 h',
      7_500_000: '2 h 5 min',
    };
    expect(Object.keys(shown).map((text) => formatDuration(Number(text)))).toEqual(Object.values(shown));
  });
});

describe('the default policy', () => {
  const { retries, ...rest } = DEFAULT_POLICY;

  it('waits as docs/policy.md says', () => {
    expect(rest).toEqual({
      deadline: 1_800_000,
      polling: {
        webhooks: { first: 60_000, factor: 2, max: 600_000 },
        none: { first: 2_000, factor: 1.2, max: 120_000 },
      },
      submit: { timeout: 60_000, heartbeat: 10_000 },
      reconcile: { wait: 60_000, otherwise: 'ask' },
      vanished: { wait: 120_000 },
      outputs: { wait: 86_400_000 },
    });
  });

  it('has the rows of docs/policy.md', () => {
    const HOUR = 3_600_000;
    const rows = Object.entries(retries).map(([code, row]) => {
      const { initial, factor, max, window, resubmissions, onSubmit, onTask, ...more } = row;
      return [code, initial, factor, max, window, resubmissions, onSubmit, onTask, more];
    });
    const seldom = [2_000, 2, 60_000, HOUR];
    expect(rows).toEqual([
      ['RATE_LIMITED', ...seldom, 5, 'retry', 'resubmit', { slowsWorkspace: true }],
      ['PROVIDER_UNAVAILABLE', 5_000, 2, 300_000, 2 * HOUR, 3, 'retry', 'resubmit', {}],
      ['TIMEOUT', ...seldom, 1, 'fail', 'resubmit', {}],
      ['FAILED', ...seldom, 1, 'fail', 'resubmit', {}],
      ['INSUFFICIENT_CREDITS', 30_000, 1.5, 300_000, 24 * HOUR, 10, 'park', 'park', {}],
      ['CONTENT_REJECTED', ...seldom, 0, 'new seed', 'new seed', {}],
      ['INVALID_INPUT', ...seldom, 0, 'fail', 'resubmit', {}],
      ['UNAUTHORIZED', ...seldom, 0, 'fail', 'resubmit', {}],
      ['WORKSPACE_FORBIDDEN', ...seldom, 0, 'fail', 'resubmit', {}],
      ['TEMPLATE_NOT_FOUND', ...seldom, 0, 'fail', 'resubmit', {}],
    ]);
  });
});

describe('a policy', () => {
  it('merges any subset over the defaults, field by field', () => {
    const { policy, errors } = parsePolicy(
      { deadline: '5m', retries: { RATE_LIMITED: { initial: 50 } }, budget: { credits: 12 } },
      DEFAULT_POLICY,
    );
    expect(errors).toEqual([]);
    expect(policy.deadline).toBe(300_000);
    expect(policy.retries.RATE_LIMITED).toEqual({ ...DEFAULT_POLICY.retries.RATE_LIMITED, initial: 50 });
    expect(policy.polling).toEqual(DEFAULT_POLICY.polling);
    expect(policy.budget).toEqual({ credits: 12 });
  });

  it('names every wrong field and says what is allowed there', () => {
    const { policy, errors } = parsePolicy(
      {
        deadline: 'soon',
        polling: { factor: 0.5, firts: '1s' },
        reconcile: { otherwise: 'guess' },
        retries: { P_TIMEOUT: {}, TIMEOUT: { resubmissions: -1 } },
        submit: { timeout: '3s' },
      },
      DEFAULT_POLICY,
    );
    expect(errors.map(({ path }) => path).sort()).toEqual([
      'policy.deadline',
      'policy.polling.factor',
      'policy.polling.firts',
      'policy.reconcile.otherwise',
      'policy.retries.P_TIMEOUT',
      'policy.retries.TIMEOUT.resubmissions',
    ]);
    expect(errors.find(({ path }) => path.endsWith('firts'))?.message).toContain('first, factor, max');
    expect(policy).toEqual(DEFAULT_POLICY);
  });

  it.each(['0s', 0, null])('says of the duration %j that it has to be above zero', (value) => {
    const { policy, errors } = parsePolicy({ vanished: { wait: value } }, DEFAULT_POLICY);
    const message = expect.stringMatching(/^must be a duration above zero .*"10s"/) as string;
    expect(errors).toEqual([{ path: 'policy.vanished.wait', message }]);
    expect(policy).toEqual(DEFAULT_POLICY);
  });

  it.each<[unknown, unknown, unknown]>([
    [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    [{ a: { b: 1 } }, { a: 5 }, { a: 5 }],
    [{ a: 5 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: 5 }, { a: undefined }, { a: 5 }],
    [{ a: 5 }, undefined, { a: 5 }],
    [{ a: 5 }, 'text', 'text'],
  ])('of layers: over %j comes %j', (base, over, merged) => {
    expect(layOver(base, over)).toEqual(merged);
  });

  it.each([
    [{ polling: { factor: 100.5 } }, 'polling.factor', 'must be a number from 1 to 100'],
    [{ polling: { factor: 'two' } }, 'polling.factor', 'must be a number from 1 to 100'],
    [
      { retries: { FAILED: { resubmissions: 1.5 } } },
      'retries.FAILED.resubmissions',
      'whole number from 0 to 1000',
    ],
    [
      { retries: { FAILED: { resubmissions: 1001 } } },
      'retries.FAILED.resubmissions',
      'whole number from 0 to 1000',
    ],
    [{ reconcile: { otherwise: 'guess' } }, 'reconcile.otherwise', 'must be "ask", "resubmit" or "fail"'],
    [{ deadline: '366d' }, 'deadline', 'must be a duration above zero and up to a year'],
    [{ deadline: 31_536_000_001 }, 'deadline', 'must be a duration above zero and up to a year'],
    [{ budget: { credits: 'ten' } }, 'budget.credits', 'must be a number of credits above zero'],
    [{ budget: { credits: 0 } }, 'budget.credits', 'must be a number of credits above zero'],
    [{ budget: {} }, 'budget.credits', 'must be a number of credits above zero'],
    [{ budget: { credits: Number.MAX_SAFE_INTEGER } }, 'budget.credits', 'and up to 1000000000000000'],
    [{ vanished: 5 }, 'vanished', 'must be an object with any of: wait'],
    [{ vanished: { for: 5 } }, 'vanished.for', 'is not known; allowed: wait'],
    [{ submit: [] }, 'submit', 'must be an object with any of: timeout, heartbeat'],
  ])('like %j is refused at %s', (value, path, message) => {
    const { errors } = parsePolicy(value, DEFAULT_POLICY);
    expect(errors).toEqual([{ path: `policy.${path}`, message: expect.stringContaining(message) as string }]);
  });

  it('takes every field at its limits', () => {
    const value = {
      deadline: 0.5,
      polling: { first: ' 1.25 s ', factor: 1, max: '365d' },
      reconcile: { otherwise: 'resubmit' },
      vanished: { wait: 31_536_000_000 },
      outputs: { wait: '1h' },
      retries: { FAILED: { factor: 100, resubmissions: 1000 }, TIMEOUT: { resubmissions: 0 } },
      budget: { credits: 0.1 },
    };
    const { policy, errors } = parsePolicy(value, DEFAULT_POLICY);
    expect(errors).toEqual([]);
    expect(policy.polling).toMatchObject({ first: 1_250, factor: 1, max: 31_536_000_000 });
    expect(policy.outputs).toEqual({ wait: 3_600_000 });
    expect(policy.deadline).toBe(1);
    for (const otherwise of ['ask', 'fail']) {
      const read = parsePolicy({ reconcile: { otherwise } }, DEFAULT_POLICY);
      expect([read.policy.reconcile.otherwise, read.errors]).toEqual([otherwise, []]);
    }
  });

  it('never throws, whatever it is given, and always leaves a whole policy', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (value) => {
        const { policy, errors } = parsePolicy(value, DEFAULT_POLICY);
        expect(Object.keys(policy)).toEqual(expect.arrayContaining(Object.keys(DEFAULT_POLICY)));
        expect(errors.filter(({ path }) => !path.startsWith('policy'))).toEqual([]);
      }),
    );
  });

  it('refuses a budget that is not a number of credits above zero', () => {
    expect(parseBudget({ credits: 0 }).errors).toHaveLength(1);
    expect(parseBudget({}).errors).toHaveLength(1);
    expect(parseBudget('10').errors).toEqual([{ path: 'budget', message: expect.any(String) as string }]);
    expect(parseBudget({ credits: 10 })).toEqual({ budget: { credits: 10 }, errors: [] });
    expect(parseBudget(undefined)).toEqual({ budget: undefined, errors: [] });
  });
});

describe('backoff', () => {
  const pace = { initial: 2_000, factor: 2, max: 60_000 };

  it('doubles up to the maximum, is never 0, and spreads by a quarter', () => {
    expect([1, 2, 3, 10].map((failures) => backoffDelay({ ...pace, window: 1 }, failures, 0.5))).toEqual([
      2_000, 4_000, 8_000, 60_000,
    ]);
    expect(backoffDelay({ ...pace, window: 1 }, 1, 0)).toBe(1_500);
    expect(backoffDelay({ initial: 1, factor: 1, max: 1, window: 1 }, 1, 0)).toBe(1);
  });

  it('waits Retry-After out in full, whatever the maximum', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3_600_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (after, r) => {
          expect(backoffDelay({ ...pace, window: 1 }, 1, r, after)).toBeGreaterThanOrEqual(after);
        },
      ),
    );
  });

  it('grows the interval between polls up to its maximum', () => {
    expect([0, 1, 2, 20].map((n) => pollingInterval({ first: 10, factor: 1.5, max: 40 }, n))).toEqual([
      10, 15, 22.5, 40,
    ]);
  });
});
