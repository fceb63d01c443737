import { describe, expect, it } from 'vitest';
import { describePlan } from '../../../src/starter/describe/describe-plan.ts';

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
      { ...bought, approximate: true, estimate: { low: 6, high: 10 } },
      { ...bought, estimate: { low: 8, high: 8 } },
    ]);
    expect(rows.map(([, , what, price]) => `${what} | ${price}`)).toEqual([
      'reused | 0',
      'skipped: two lines | not known',
      'skipped: what it needs is not there | 0',
      'bought, unless it is there | about 8',
      'bought | not known: 0.25 USD by the catalogue',
      'bought | about 8 (6 to 10)',
      'bought | 8',
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
    expect(last(plan as never, { budget: { credits: 24 } }, 17)).toBe(
      'the budget of 24 credits, of which 17 are spent, does not admit all of it',
    );
    const seen = { ...bought, estimate: { low: 6, high: 10, seen: 3 } };
    expect(
      last({ ...plan, generations: [seen, { ...seen, path: 'two' }], bought: 2, credits: 16 } as never),
    ).toBe('2 generations to buy for 16 credits (12 to 20), by what such tasks have cost; 0 reused');
  });
});
