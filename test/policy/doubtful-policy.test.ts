import { expect, it } from 'vitest';
import { doubtOf, policyDoubts } from '../../src/policy/doubtful-policy.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/policy/policy.ts';

const UNIT = 'A number without a unit counts milliseconds';

const whole = (written: object): Policy => parsePolicy(written, DEFAULT_POLICY).policy;

it.each<[written: object, doubts: string[]]>([
  [{}, []],
  [{ deadline: 20 }, [`deadline is only 20 ms: tasks are paid for, and overdue. ${UNIT}`]],
  [
    { polling: { first: 10, max: 999 } },
    [
      `polling.first is only 10 ms: the API is asked without a pause. ${UNIT}`,
      `polling.max is only 999 ms: the API is asked without a pause. ${UNIT}`,
    ],
  ],
  [
    { polling: { webhooks: { first: 1, max: 2 }, none: { first: 3, max: 4 } } },
    [
      `polling.webhooks.first is only 1 ms: the API is asked without a pause. ${UNIT}`,
      `polling.webhooks.max is only 2 ms: the API is asked without a pause. ${UNIT}`,
      `polling.none.first is only 3 ms: the API is asked without a pause. ${UNIT}`,
      `polling.none.max is only 4 ms: the API is asked without a pause. ${UNIT}`,
    ],
  ],
  [
    { submit: { timeout: 60, heartbeat: 10 } },
    [
      `submit.timeout is only 60 ms: nobody knows whether a task was bought. ${UNIT}`,
      `submit.heartbeat is only 10 ms: a worker that is busy counts as gone. ${UNIT}`,
    ],
  ],
  [
    { reconcile: { wait: 60 }, vanished: { wait: 2 }, outputs: { wait: 24 } },
    [
      `reconcile.wait is only 60 ms: a task whose answer got lost is not found. ${UNIT}`,
      `vanished.wait is only 2 ms: a task that the API does not show at once is given up. ${UNIT}`,
      `outputs.wait is only 24 ms: files that are paid for are given up. ${UNIT}`,
    ],
  ],
  [
    { retries: { RATE_LIMITED: { initial: 5, max: 6, window: 7 } } },
    [
      `retries.RATE_LIMITED.initial is only 5 ms: the API is asked without a pause. ${UNIT}`,
      `retries.RATE_LIMITED.max is only 6 ms: the API is asked without a pause. ${UNIT}`,
      `retries.RATE_LIMITED.window is only 7 ms: nothing is tried again. ${UNIT}`,
    ],
  ],
  [
    { retries: { FAILED: { initial: '2s', window: 999 } } },
    [`retries.FAILED.window is only 999 ms: nothing is tried again. ${UNIT}`],
  ],
])('times that only tests can mean are doubted, each in its place: %j', (written, doubts) => {
  const found = policyDoubts(whole(written));
  expect(found.map(({ path, message }) => `${path} ${message}`)).toEqual(
    doubts.map((one) => `policy.${one}`),
  );
});

it.each<[written: object, doubts: string[]]>([
  [{ vanished: { wait: '1s' }, polling: { first: '1s', max: '1s' } }, []],
  [{ polling: { first: '2m', max: '2m' } }, []],
  [
    { polling: { first: '3m', max: '2m' } },
    ['polling.first is longer than polling.max, which is what counts'],
  ],
  [{ deadline: '2001ms' }, []],
  [
    { deadline: '2s' },
    ['polling looks first when the deadline is over: without its webhook, each task is paid for and overdue'],
  ],
  [
    { deadline: '1s' },
    ['polling looks first when the deadline is over: without its webhook, each task is paid for and overdue'],
  ],
  [
    { deadline: '1m', polling: { first: '1m', max: '1m' } },
    ['polling looks first when the deadline is over: without its webhook, each task is paid for and overdue'],
  ],
  [{ submit: { timeout: '10s', heartbeat: '10s' } }, []],
  [
    { submit: { timeout: '10s', heartbeat: '11s' } },
    ['submit.heartbeat is longer than submit.timeout: a lost worker is noticed later than it has to be'],
  ],
  [{ retries: { FAILED: { initial: '1m', max: '1m', window: '61s', resubmissions: 20 } } }, []],
  [
    { retries: { FAILED: { initial: '2s', window: '1s' } } },
    ['retries.FAILED.window is over before the first try: nothing is tried again'],
  ],
  [
    { retries: { FAILED: { initial: '2m', max: '1m', window: '2m', resubmissions: 21 } } },
    [
      'retries.FAILED.initial is longer than max, which is what counts',
      'retries.FAILED.window is over before the first try: nothing is tried again',
      'retries.FAILED.resubmissions may buy 21 further tasks of one generation',
    ],
  ],
])('what leaves another part without effect is doubted, and nothing at the limit: %j', (written, doubts) => {
  const found = policyDoubts(whole(written));
  expect(found.map(({ path, message }) => `${path} ${message}`)).toEqual(
    doubts.map((one) => `policy.${one}`),
  );
});

it('one sentence has the first doubt, and how many more there are', () => {
  const first = `policy.deadline is only 20 ms: tasks are paid for, and overdue. ${UNIT}`;
  expect(doubtOf(DEFAULT_POLICY)).toBeUndefined();
  expect(doubtOf(whole({ deadline: 20 }))).toBe(first);
  expect(doubtOf(whole({ deadline: 20, vanished: { wait: 2 } }))).toBe(`${first} (1 more like it)`);
});
