import { describe, expect, it } from 'vitest';
import { focusCsv } from '../../../src/starter/describe/focus-csv.ts';

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
