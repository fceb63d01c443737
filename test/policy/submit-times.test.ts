import { expect, it } from 'vitest';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';
import { submitTimes } from '../../src/policy/submit-times.ts';

const { timeout, heartbeat } = DEFAULT_POLICY.submit;

it.each<[policy: unknown, times: typeof DEFAULT_POLICY.submit]>([
  [undefined, { timeout, heartbeat }],
  [null, { timeout, heartbeat }],
  ['no policy', { timeout, heartbeat }],
  [{ submit: 7 }, { timeout, heartbeat }],
  [{ submit: { timeout: '2m' } }, { timeout: 120_000, heartbeat }],
  [{ submit: { timeout: '2m', heartbeat: 500 } }, { timeout: 120_000, heartbeat: 500 }],
  [{ submit: { timeout: -1, heartbeat: 'soon' } }, { timeout, heartbeat }],
  [{ submit: { timeout: Number.NaN, heartbeat: '500d' } }, { timeout, heartbeat }],
])("a submit's times by %j alone", (policy, times) => {
  expect(submitTimes(policy)).toEqual(times);
});

it.each([{ timeout: '90s' }, { heartbeat: '1.5s' }, { timeout: 0.5, heartbeat: ' 3 m ' }])(
  'are those that its check comes to: %j',
  (submit) => {
    const { policy, errors } = parsePolicy({ submit }, DEFAULT_POLICY);
    expect(errors).toEqual([]);
    expect(submitTimes({ submit })).toEqual(policy.submit);
  },
);
