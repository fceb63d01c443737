import { describe, expect, it } from 'vitest';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import {
  readClaim,
  readNotices,
  readWithdrawals,
} from '../../../src/workflows/unclaimed-tasks/read-messages.ts';

const fields = fieldDigests({ prompt: 'fox' });
const TASK = { taskId: 't1', arrivedAt: 5, createdAt: 4, fields };
const CLAIM = {
  claimId: 'c1',
  workflowId: 'generation/1',
  firstRunId: 'r0',
  runId: 'r1',
  model: 'image-l',
  shape: { family: 'image', takes: { names: ['prompt', 'n'], open: false } },
  fields,
  since: 7,
  clockOffset: -3,
  known: ['t8', 't9'],
  wait: 60_000,
  patience: 10_000,
};
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 'digest']));

/** Values that are no text of up to so many characters. */
const noText = (longest: number) => ['', 'x'.repeat(longest + 1), 7, null, {}];
const NO_TIME = ['5', null, Number.NaN, Infinity, 1e15, -1e15, {}];
const NO_FIELDS = [
  'text',
  null,
  [1],
  { prompt: '' },
  { prompt: 'x'.repeat(17) },
  { prompt: 7 },
  { prompt: 'digest', n: 7 },
  { ['n'.repeat(101)]: 'digest' },
  many(66),
];

describe('notices of tasks', () => {
  const read = (more: object) => readNotices({ tasks: [{ ...TASK, ...more }] }, 0);

  it.each(NO_TIME)('have arrived when they say so where nobody tells when they were told: %s', (toldAt) => {
    expect(readNotices({ tasks: [TASK], toldAt }, 1_000).tasks).toEqual([TASK]);
  });

  it('have arrived as long ago as they say, whatever the clock of who tells', () => {
    expect(readNotices({ tasks: [TASK], toldAt: 25 }, 1_000).tasks).toEqual([{ ...TASK, arrivedAt: 980 }]);
  });

  it('are read as they were sent, those that are none left out and counted', () => {
    expect(readNotices({ tasks: [TASK, { ...TASK, owner: 'generation/1' }] }, 0)).toStrictEqual({
      tasks: [TASK, { ...TASK, owner: 'generation/1' }],
      malformed: 0,
    });
    expect(readNotices({ tasks: [TASK, 'text', null, { ...TASK, more: 1 }] }, 0)).toEqual({
      tasks: [TASK, TASK],
      malformed: 2,
    });
    expect(readNotices({ tasks: [] }, 0)).toEqual({ tasks: [], malformed: 0 });
    for (const none of ['text', null, 7, []])
      expect(readNotices(none, 0)).toEqual({ tasks: [], malformed: 1 });
    expect(readNotices({}, 0)).toEqual({ tasks: [], malformed: 1 });
    expect(readNotices({ task: 'text' }, 0)).toEqual({ tasks: [], malformed: 1 });
  });

  it.each<[string, unknown[]]>([
    ['taskId', [...noText(200), 'two words', 'bröd', 'a\nb']],
    ['owner', noText(1_000)],
    ['arrivedAt', NO_TIME],
    ['fields', NO_FIELDS],
  ])('are none with a wrong %s', (name, wrong) => {
    for (const value of wrong) expect([value, read({ [name]: value }).malformed]).toEqual([value, 1]);
  });

  it('may be as long as they may be', () => {
    const long = {
      taskId: 'x'.repeat(200),
      owner: 'w'.repeat(1_000),
      arrivedAt: -5,
      createdAt: 999_999_999_999_999,
    };
    const wide = { ...many(64), ['n'.repeat(100)]: 'x'.repeat(16) };
    expect(read({ ...long, fields: wide }).tasks).toEqual([{ ...long, fields: wide }]);
    expect(read({ fields: {} }).malformed).toBe(0);
  });

  it('have the time of their creation, or none where it was not told', () => {
    for (const createdAt of [null, undefined, '1970-01-01T00:00:01Z', 1e15, {}])
      expect(read({ createdAt }).tasks[0]?.createdAt).toBeNull();
    expect(read({ createdAt: 1_000 }).tasks[0]?.createdAt).toBe(1_000);
  });
});

describe('a claim', () => {
  const read = (more: object) => readClaim({ ...CLAIM, ...more });

  it('is read as it was sent, and nothing else is one', () => {
    expect(read({ more: 1 })).toEqual(CLAIM);
    for (const none of ['text', null, []]) expect(readClaim(none)).toBeUndefined();
  });

  it.each<[string, unknown[]]>([
    ['claimId', noText(200)],
    ['workflowId', noText(1_000)],
    ['runId', noText(200)],
    ['firstRunId', noText(200)],
    ['model', noText(200)],
    ['fields', NO_FIELDS],
    ['since', NO_TIME],
    ['wait', [...NO_TIME, -1]],
    ['patience', [...NO_TIME, -1]],
  ])('is none with a wrong %s', (name, wrong) => {
    for (const value of wrong) expect([value, read({ [name]: value })]).toEqual([value, undefined]);
  });

  it('may be as long as it may be', () => {
    const id = 'x'.repeat(200);
    const long = {
      claimId: id,
      workflowId: 'w'.repeat(1_000),
      runId: id,
      firstRunId: id,
      model: id,
      since: -5,
      wait: 0,
      patience: 0,
    };
    expect(read(long)).toEqual({ ...CLAIM, ...long });
  });

  it('lacks what was not told of it', () => {
    const { clockOffset: _1, known: _2, shape: _3, ...bare } = CLAIM;
    expect(readClaim(bare)).toStrictEqual({ ...bare, shape: undefined });
    for (const clockOffset of ['5', null, Infinity])
      expect(read({ clockOffset })).not.toHaveProperty('clockOffset');
    for (const known of ['text', null, [], [7, '']]) expect(read({ known })).not.toHaveProperty('known');
  });

  it('knows the latest twenty tasks of its run', () => {
    const known = Array.from({ length: 22 }, (_, n) => `t${n}`);
    expect(read({ known: [...known, 7, '', 'two words', 'x'.repeat(201)] })?.known).toEqual(known.slice(2));
  });

  it('names five workflows whose budgets pay for it, at most', () => {
    const paidBy = ['a', 'b', 'c', 'd', 'w'.repeat(1_000)];
    expect(read({ paidBy: [7, '', 'w'.repeat(1_001), ...paidBy, 'more'] })?.paidBy).toEqual(paidBy);
    for (const none of ['text', null, [], [7, '']])
      expect(read({ paidBy: none })).not.toHaveProperty('paidBy');
  });

  it('has the shape of its model as far as it is one', () => {
    const shape = (more: object, takes: object = {}) =>
      read({ shape: { ...CLAIM.shape, ...more, takes: { ...CLAIM.shape.takes, ...takes } } })?.shape;
    expect(shape({ family: 'video', more: 1 }, { open: true })).toEqual({
      family: 'video',
      takes: { names: ['prompt', 'n'], open: true },
    });
    expect(shape({}, { open: 'yes' })?.takes.open).toBe(false);
    const names = Array.from({ length: 128 }, () => 'n'.repeat(100));
    expect(shape({}, { names })?.takes.names).toEqual(names);
    for (const wrong of [[...names, 'n'], 'text', ['n'.repeat(101)], ['prompt', ''], ['prompt', 7]]) {
      expect(shape({}, { names: wrong })).toBeUndefined();
    }
    expect(shape({ family: 'music' })).toBeUndefined();
    expect(shape({ family: undefined })).toBeUndefined();
    for (const none of ['text', null, { family: 'image' }, { family: 'image', takes: 'text' }]) {
      expect(read({ shape: none })?.shape).toBeUndefined();
    }
  });
});

describe('withdrawals', () => {
  it('are read as they were sent, and all of them or none', () => {
    const kinds = ['look', 'give up', 'buy again', 'abandon', 'settled'];
    const now = kinds.map((as) => ({ claimId: 'c1', as }));
    expect(readWithdrawals(now)).toEqual(now);
    expect(readWithdrawals([{ claimId: 'c1', as: 'look', more: 1 }])).toEqual([
      { claimId: 'c1', as: 'look' },
    ]);
    expect(readWithdrawals([])).toEqual([]);
    for (const wrong of [
      'text',
      null,
      { claimId: 'c1' },
      { claimId: 'c1', as: 'forget' },
      { claimId: '', as: 'look' },
      { claimId: 'x'.repeat(201), as: 'look' },
      { as: 'look' },
    ]) {
      expect([wrong, readWithdrawals([...now, wrong])]).toEqual([wrong, undefined]);
    }
    for (const none of ['text', null, {}]) expect(readWithdrawals(none)).toBeUndefined();
  });

  it('are a thousand at most', () => {
    const list = (length: number) => Array.from({ length }, () => ({ claimId: 'c', as: 'look' }));
    expect(readWithdrawals(list(1_000))).toHaveLength(1_000);
    expect(readWithdrawals(list(1_001))).toBeUndefined();
  });
});
