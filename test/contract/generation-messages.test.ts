import { describe, expect, it } from 'vitest';
import {
  isCredits,
  readGrant,
  readId,
  readNotSent,
  readProof,
  readTaskEnd,
} from '../../src/contract/generation-messages.ts';

const GRANT = { claimId: 'c'.repeat(200), taskId: 'task-1' };
const URLS = ['https://files.example/1.png'];
const USAGE = { total: 8, subscription: 5, permanent: 3 };

it.each([-1, 1e16, Number.NaN, '8'])('%s is nothing that a task costs', (value) => {
  expect(isCredits(value)).toBe(false);
});

it.each([0, 8, 1e15])('%s may be what a task costs', (value) => {
  expect(isCredits(value)).toBe(true);
});

/** Whatever somebody sends. */
const NONSENSE = [undefined, null, 'text', 7, [], {}];

describe('a signal is read as it should be, or not at all', () => {
  const readClaimId = (said: unknown) => readId(said, 'claimId');

  it.each([readTaskEnd, readGrant, readClaimId, readProof, readNotSent])('%o', (read) => {
    expect(NONSENSE.map((one) => read(one))).toEqual(NONSENSE.map(() => undefined));
  });

  it('of a task that has ended', () => {
    const end = { type: 'task.completed', taskId: 'task-1' };
    expect(readTaskEnd({ ...end, artifacts: URLS, more: 1 })).toEqual({ taskId: 'task-1', artifacts: URLS });
    expect(readTaskEnd({ ...end, artifacts: ['file:///etc/passwd'] })).toEqual({ taskId: 'task-1' });
    expect(readTaskEnd({ ...end, type: 'task.started' })).toBeUndefined();
    expect(readTaskEnd({ ...end, type: 7 })).toBeUndefined();
    expect(readTaskEnd({ ...end, taskId: '' })).toBeUndefined();
  });

  it('of a task that was granted', () => {
    const whole = { ...GRANT, artifacts: URLS, credits: 8 };
    expect(readGrant({ ...whole, more: 1 })).toEqual(whole);
    expect(readGrant({ ...whole, artifacts: 'x', credits: -1 })).toEqual(GRANT);
    expect(readGrant({ ...GRANT, claimId: '' })).toBeUndefined();
    expect(readGrant({ ...GRANT, claimId: 7 })).toBeUndefined();
    expect(readGrant({ ...GRANT, claimId: 'c'.repeat(201) })).toBeUndefined();
    expect(readGrant({ ...GRANT, taskId: null })).toBeUndefined();
  });

  it('of a task that shows up late', () => {
    for (const outcome of ['completed', 'failed', 'canceled'])
      expect(readProof({ ...GRANT, usage: USAGE, outcome })).toEqual({ ...GRANT, usage: USAGE, outcome });
    const alone = { ...GRANT, usage: { total: 8, subscription: 0, permanent: 0 } };
    expect(
      readProof({ ...GRANT, usage: { total: 8, subscription: -1, permanent: '3' }, outcome: 'x' }),
    ).toEqual(alone);
    expect(readProof({ ...GRANT, usage: { subscription: 5 } })).toBeUndefined();
    expect(readProof({ claimId: '', taskId: 'task-1', usage: USAGE })).toBeUndefined();
    expect(readProof({ ...GRANT, usage: null })).toBeUndefined();
  });

  it('of a submit that was not sent, and of credits', () => {
    const submit = { runId: 'run', activityId: '5' };
    expect(readNotSent({ ...submit, more: 1 })).toEqual(submit);
    expect(readNotSent({ ...submit, runId: '' })).toBeUndefined();
    expect(readNotSent({ ...submit, activityId: 5 })).toBeUndefined();
    expect(readId({ parkId: 'p' }, 'parkId')).toBe('p');
    expect(readId({ parkId: '' }, 'parkId')).toBeUndefined();
    expect(readId({ claimId: 'c', more: 1 }, 'claimId')).toBe('c');
  });

  it("of a task's files: one to eight URLs that can be fetched, or nothing of any", () => {
    const end = { type: 'task.completed', taskId: 'task-1' };
    const told = (artifacts: unknown) => readTaskEnd({ ...end, artifacts });
    const url = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`;
    for (const urls of [Array(8).fill('http://a.example/1'), [url(2_048)]])
      expect(told(urls)).toEqual({ taskId: 'task-1', artifacts: urls });
    for (const urls of [
      [],
      Array(9).fill('https://a.example/1'),
      [url(2_049)],
      ['https://a.example/1', 'ftp://a.example/2'],
      [' https://a.example/1'],
      ['https://a.example/1 2'],
      ['https://'],
      [{ toString: () => 'https://a.example/1', length: 5 }],
      { length: 1, 0: 'https://a.example/1', every: () => true },
    ])
      expect(told(urls)).toEqual({ taskId: 'task-1' });
  });
});
