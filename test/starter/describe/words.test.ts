import { describe, expect, it } from 'vitest';
import {
  type ActivityEnd,
  describeActivityEnd,
  describeActivityStart,
} from '../../../src/starter/describe/activity-words.ts';
import { describePlan } from '../../../src/starter/describe/describe-plan.ts';
import { focusCsv } from '../../../src/starter/describe/focus-csv.ts';

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
    ['getTask', { kind: 'not-found' }, 'poll: the API does not know the task'],
    ['getTask', { kind: 'unavailable', reason: '503' }, 'poll: cannot read the record: 503'],
    ['getTask', { kind: 'record', status: 'COMPLETED' }, 'the task has completed'],
    ['getTask', { kind: 'record', status: 'IN_PROGRESS' }, undefined],
    [
      'getTask',
      { kind: 'record', status: 'FAILED', code: 'TIMEOUT', message: 'too slow' },
      'the task ended as FAILED: TIMEOUT: too slow',
    ],
    ['lookAtTask', { kind: 'open' }, undefined],
    ['lookAtTask', { kind: 'not-found' }, 'poll: the API does not know the task'],
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
    ['lookAtTask', 'the files could not be stored'],
    ['sendCallback', 'the callback was not taken'],
    ['getBalance', 'getBalance failed'],
    ['ofSomebodyElse', 'ofSomebodyElse failed'],
  ])('%s fails: %s', (name, line) => {
    const failure = { type: 'INVALID_INPUT', message: 'no' };
    expect(describeActivityEnd(name, 1, { failure })).toBe(`${line}: INVALID_INPUT: no`);
    expect(describeActivityEnd(name, 2, { failure: { ...failure, type: '' } })).toBe(`${line} (try 2): no`);
  });
});

describe('costs as FOCUS has them', () => {
  const since = Date.UTC(2026, 10, 1);
  const until = Date.UTC(2026, 11, 1);
  const linesOf = (row: object): string[] =>
    focusCsv([{ tasks: 2, credits: 16, refunded: 0, ...row }], { since, until }).split('\n');

  it('have a line for each row below the names of columns', () => {
    expect(linesOf({ model: 'image-l' })).toEqual([
      'ChargePeriodStart,ChargePeriodEnd,ChargeCategory,BillingCurrency,BilledCost,ConsumedQuantity,ConsumedUnit,ServiceName,SubAccountName,Tags',
      '2026-11-01T00:00:00.000Z,2026-12-01T00:00:00.000Z,Usage,credits,16,2,tasks,image-l,,{}',
    ]);
    expect(focusCsv([], { since, until }).split('\n')).toHaveLength(1);
  });

  it('have the period of a day where they are told by days, and tags as JSON', () => {
    const [, line] = linesOf({ day: '2026-11-24', workspace: 'a,b', 'tag:team': 'film', 'tag:stage': null });
    expect(line).toBe(
      '2026-11-24T00:00:00.000Z,2026-11-25T00:00:00.000Z,Usage,credits,16,2,tasks,,"a,b","{""team"":""film""}"',
    );
  });

  it('have what was given back in a line of its own, which buys nothing', () => {
    const [, usage, adjustment, ...more] = linesOf({ refunded: 8, model: 'two\nlines' });
    expect(usage).toContain(',Usage,credits,16,2,tasks,"two');
    expect([adjustment, ...more].join('\n')).toContain('lines",,{}\n2026-11-01');
    expect(more.join('\n')).toContain(',Adjustment,credits,-8,0,tasks,');
  });
});

describe('a plan of what a pipeline will buy', () => {
  const bought = { path: 'still', model: 'image-l', action: 'buy', from: null, credits: 8 } as const;
  const plan = {
    generations: [bought],
    bought: 1,
    reused: 0,
    credits: 8,
    unknownPrices: 0,
    approvals: [],
  };
  const linesOf = (...asked: Parameters<typeof describePlan>): string[] => describePlan(...asked).split('\n');
  const cellsOf = (generations: object[]): string[][] =>
    linesOf({ ...plan, generations } as never)
      .filter((line) => line.includes('│'))
      .map((line) =>
        line
          .split('│')
          .map((cell) => cell.trim())
          .slice(1, -1),
      );

  it('has a row for what is alike in a step', () => {
    const part = (index: number) => ({ ...bought, path: `clip/${index}` });
    expect(cellsOf([bought, part(0), part(1), { ...part(2), credits: 9 }])).toEqual([
      ['step', 'model', 'what', 'credits'],
      ['still', 'image-l', 'bought', '8'],
      ['clip × 2', 'image-l', 'bought', '8'],
      ['clip', 'image-l', 'bought', '9'],
    ]);
  });

  it('tells what is reused or skipped and why, and how sure a price is', () => {
    const [, ...rows] = cellsOf([
      { ...bought, action: 'reuse', credits: 0 },
      { ...bought, action: 'skip', credits: null, reason: 'two\nlines' },
      { ...bought, action: 'skip', credits: 0 },
      { ...bought, unless: 'it is there', approximate: true },
      { ...bought, credits: null, usd: 0.25 },
    ]);
    expect(rows.map(([, , what, price]) => `${what} | ${price}`)).toEqual([
      'reused | 0',
      'skipped: two lines | not known',
      'skipped: what it needs is not there | 0',
      'bought, unless it is there | about 8',
      'bought | not known: 0.25 USD by the catalogue',
    ]);
  });

  it('is summed up in a line, and what may stop it in others', () => {
    const last = (...asked: Parameters<typeof describePlan>): string | undefined => linesOf(...asked).at(-1);
    expect(last(plan as never)).toBe('1 generation to buy for 8 credits; 0 reused');
    const rough = { ...plan, generations: [{ ...bought, approximate: true }], bought: 3, reused: 2 };
    expect(last({ ...rough, unknownPrices: 1 } as never)).toBe(
      '3 generations to buy for about 8 credits, and 1 of them at prices that are not known yet; 2 reused',
    );
    expect(last({ ...rough, unknownPrices: 3 } as never)).toBe(
      '3 generations to buy, at prices that are not known yet; 2 reused',
    );
    expect(last({ ...plan, approvals: ['clip', 'cut'] })).toBe('a person is asked before it buys: clip, cut');
    expect(last(plan as never, { budget: { credits: 7 } })).toBe(
      'the budget of 7 credits does not admit all of it',
    );
    expect(last(plan as never, { budget: { credits: 8 } })).toContain('to buy');
  });
});
