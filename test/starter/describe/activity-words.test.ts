import { describe, expect, it } from 'vitest';
import {
  type ActivityEnd,
  describeActivityEnd,
  describeActivityStart,
} from '../../../src/starter/describe/activity-words.ts';

const result = (value: unknown): ActivityEnd => ({ result: value });

const USAGE = { total: 8, subscription: 8, permanent: 0 };

const file = (bytes: number) => ({ stored: { bytes } });

describe('an activity in the timeline of its run', () => {
  it.each([
    ['submitTask', 'submits to the API'],
    ['adoptTask', 'takes over what was bought'],
    ['requestClaim', 'looks for the task of the lost answer'],
    ['sendCallback', 'calls back'],
    ['getBalance', undefined],
    ['toString', undefined],
  ])('%s begins: %s', (name, line) => {
    expect(describeActivityStart(name)).toBe(line);
  });

  it.each<[name: string, value: unknown, line: string | undefined]>([
    ['checkGeneration', { ok: false }, 'the request is refused'],
    ['checkPipeline', { ok: true }, undefined],
    ['checkPipeline', 'odd', undefined],
    ['submitTask', { kind: 'unknown', reason: 'ECONNRESET' }, 'the answer got lost: ECONNRESET'],
    ['submitTask', { kind: 'forgotten', reason: 'it is long ago' }, 'nothing was sent: it is long ago'],
    ['submitTask', { kind: 'checked' }, 'the request is right'],
    ['submitTask', { kind: 'completed', result: { taskId: 't' } }, 'took over the result of task t'],
    ['submitTask', { kind: 'accepted', taskId: 't', usage: USAGE }, 'task t accepted, 8 credits'],
    ['adoptTask', { kind: 'accepted', taskId: 't', usage: USAGE, adopted: true }, 'took over task t'],
    ['earlierTask', { taskId: 't' }, 'an earlier run has task t'],
    ['earlierTask', { taskId: null }, undefined],
    ['judgeTask', { kind: 'of use', usage: USAGE }, undefined],
    ['judgeTask', { kind: 'again', reason: '503' }, 'cannot tell yet whether a task is its own: 503'],
    ['lookAtTask', { kind: 'open' }, undefined],
    ['lookAtTask', { kind: 'not-found' }, 'poll: the API does not know the task'],
    ['lookAtTask', { kind: 'unavailable', reason: '503' }, 'poll: cannot read the record: 503'],
    [
      'lookAtTask',
      { kind: 'ended', status: 'FAILED', code: 'TIMEOUT', message: 'too slow' },
      'the task ended as FAILED: TIMEOUT: too slow',
    ],
    [
      'lookAtTask',
      { kind: 'ended', status: 'CANCELED', code: null, message: null },
      'the task ended as CANCELED',
    ],
    [
      'lookAtTask',
      { kind: 'completed', files: { kind: 'stored', outputs: [file(1_000), file(500)] } },
      'the task has completed, 2 files stored, 1.5 kB',
    ],
    [
      'lookAtTask',
      { kind: 'completed', files: { kind: 'stored', outputs: [file(7)] } },
      'the task has completed, 1 file stored, 7 B',
    ],
    [
      'lookAtTask',
      { kind: 'completed', files: { kind: 'delayed', reason: '403' } },
      'the task has completed, its files are not stored yet: 403',
    ],
    [
      'lookAtTask',
      { kind: 'completed', files: { kind: 'gone', reason: '410' } },
      'the task has completed, its files are gone: 410',
    ],
    ['withdrawClaim', { kind: 'granted', taskId: 't' }, 'found task t'],
    ['withdrawClaim', { kind: 'gone' }, undefined],
    ['findReusable', { kind: 'completed', workflowId: 'p/a' }, 'a step is taken over from p/a'],
    ['findReusable', { kind: 'open', workflowId: 'p/a' }, 'p/a may hold a task'],
    ['getBalance', { kind: 'balance', available: 5 }, undefined],
    ['ofSomebodyElse', { kind: 'unknown' }, undefined],
  ])('%s ends with %j: %s', (name, value, line) => {
    expect(describeActivityEnd(name, 1, result(value))).toBe(line);
    expect(describeActivityEnd(name, 3, result(value))).toBe(
      line === undefined ? undefined : `${line} (try 3)`,
    );
    for (const none of [null, undefined]) expect(describeActivityEnd(name, 1, result(none))).toBeUndefined();
  });

  it.each([
    ['submitTask', 'the submit failed'],
    ['adoptTask', 'nothing was taken over'],
    ['lookAtTask', 'the look at the task failed'],
    ['sendCallback', 'the callback was not taken'],
    ['getBalance', 'getBalance failed'],
    ['ofSomebodyElse', 'ofSomebodyElse failed'],
  ])('%s fails: %s', (name, line) => {
    const failure = { type: 'INVALID_INPUT', message: 'no' };
    expect(describeActivityEnd(name, 1, { failure })).toBe(`${line}: INVALID_INPUT: no`);
    expect(describeActivityEnd(name, 2, { failure: { ...failure, type: '' } })).toBe(`${line} (try 2): no`);
  });
});
