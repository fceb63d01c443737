import { expect, it } from 'vitest';
import { longestPause, type Outlook, pauseBeforeLook } from '../../src/policy/look-pace.ts';
import { parsePolicy } from '../../src/policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';

const MINUTE = 60_000;

/** The ages at which a task is looked at, in milliseconds, up to its end. */
function looksAt(polling: unknown, outlook: Outlook, end: number): number[] {
  const { policy } = parsePolicy({ polling }, DEFAULT_POLICY);
  const ages: number[] = [];
  for (let age = 0; age < end; ages.push(age)) {
    age += pauseBeforeLook(policy.polling, outlook, { looks: ages.length, age });
  }
  return ages;
}

it('where webhooks arrive a look is a safety net: after a minute, then later and later, up to ten minutes', () => {
  const minutes = looksAt({}, { webhooks: true, expected: 1_000 }, 40 * MINUTE).map((age) => age / MINUTE);
  expect(minutes).toEqual([1, 2, 4, 8, 16, 26, 36, 46]);
});

it('where webhooks arrive nobody looks before tasks of the model should have ended', () => {
  const firstLook = (outlook: Outlook) => looksAt({}, outlook, 1).map((age) => age / MINUTE);
  expect(firstLook({ webhooks: true, expected: 5 * MINUTE })).toEqual([5]);
  expect(firstLook({ webhooks: true, expected: 50 * MINUTE })).toEqual([10]);
  expect(firstLook({ webhooks: true })).toEqual([1]);
});

it('where none do a task of half a minute costs a fifth of the looks of a poller at 500 ms, and is a tenth late', () => {
  for (const end of [30_000, 100_000, 400_000]) {
    const looks = looksAt({}, { webhooks: false }, end);
    expect(looks.length).toBeLessThanOrEqual(end / 500 / 5);
    expect(looks.at(-1)).toBeLessThanOrEqual(1.2 * end);
  }
});

it.each([true, false])('who looked early waits for what is left of that time (webhooks: %s)', (webhooks) => {
  const { polling } = DEFAULT_POLICY;
  const seen = { looks: 1, age: 1.5 * MINUTE };
  expect(pauseBeforeLook(polling, { webhooks, expected: 2 * MINUTE }, seen)).toBe(MINUTE / 2);
});

it('a model whose time is known is first looked at by then, and a fifth of its age later each time', () => {
  expect(looksAt({}, { webhooks: false, expected: 3_000 }, 5_000)).toEqual([3_000, 3_600, 4_320, 5_184]);
  expect(looksAt({}, { webhooks: false, expected: 300 }, 900)).toEqual([300, 550, 800, 1_050]);
  // What was learned while nobody looked is no reason to look later than the longest pause.
  expect(looksAt({}, { webhooks: false, expected: 5 * MINUTE }, MINUTE)).toEqual([2 * MINUTE]);
});

it('a pace that is given is taken as it is, whatever is known', () => {
  const outlook = { webhooks: true, expected: 3_000 };
  expect(looksAt({ first: '1s', factor: 2, max: '3s' }, outlook, 9_000)).toEqual([
    1_000, 3_000, 6_000, 9_000,
  ]);
  expect(looksAt({ first: '1s' }, outlook, 4_000)).toEqual([1_000, 2_500, 4_750]);
  expect(looksAt({ factor: 3 }, outlook, 130_000)).toEqual([10_000, 40_000, 130_000]);
  expect(looksAt({ webhooks: { first: '5m' } }, outlook, 6 * MINUTE)).toEqual([5 * MINUTE, 10 * MINUTE]);
});

it('nothing is looked at less often than the pace without webhooks allows where nothing is heard of it', () => {
  expect(longestPause(DEFAULT_POLICY.polling)).toBe(2 * MINUTE);
  expect(longestPause({ ...DEFAULT_POLICY.polling, max: 500 })).toBe(500);
});
