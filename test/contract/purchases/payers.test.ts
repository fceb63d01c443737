import { describe, expect, it } from 'vitest';
import { budgetsBelow, checkBudgetsAbove, paidBy, payersOf } from '../../../src/contract/purchases/payers.ts';

const BATCH = { workflowId: 'batch/films', credits: 100 };

describe('the budgets above a purchase', () => {
  it('are those above its workflow, and its own after them', () => {
    const run = { workflowId: 'pipeline/a', startedAt: 7 };
    const own = { workflowId: 'pipeline/a', since: 7, credits: 8 };
    expect(budgetsBelow(run, {})).toEqual({});
    expect(budgetsBelow(run, { budgetsAbove: [BATCH] })).toEqual({ budgetsAbove: [BATCH] });
    expect(budgetsBelow(run, { budget: { credits: 8 } })).toEqual({ budgetsAbove: [own] });
    expect(budgetsBelow(run, { budget: { credits: 8 }, budgetsAbove: [BATCH] })).toEqual({
      budgetsAbove: [BATCH, own],
    });
  });

  it("name the account of another workflow's budget, where that goes on", () => {
    const budget = { credits: 8, of: 'pipeline/first' };
    const run = { workflowId: 'pipeline/a', startedAt: 7 };
    const above = { workflowId: 'pipeline/first', credits: 8, by: 'pipeline/a' };
    expect(budgetsBelow(run, { budget })).toEqual({ budgetsAbove: [{ ...above, since: 7 }] });
    expect(budgetsBelow(run, { budget: { ...budget, since: 3 } })).toEqual({
      budgetsAbove: [{ ...above, since: 3 }],
    });
    // What is said of times to come is of now.
    expect(budgetsBelow(run, { budget: { ...budget, since: 9 } })).toEqual({
      budgetsAbove: [{ ...above, since: 7 }],
    });
  });

  it('pay for it beside its own', () => {
    const own = { credits: 5 };
    expect(payersOf('g', undefined, {})).toEqual({});
    expect(payersOf('g', undefined, { budgetsAbove: [BATCH] })).toEqual({ payers: [BATCH] });
    const both = payersOf('g', own, { budgetsAbove: [BATCH] });
    expect(both).toEqual({ payers: [{ workflowId: 'g', credits: 5 }, BATCH] });
    expect([paidBy({}), paidBy(both)]).toEqual([[], ['g', 'batch/films']]);
  });

  it.each([
    undefined,
    [],
    [BATCH, BATCH, BATCH, BATCH],
    [{ workflowId: 'w'.repeat(255), credits: 0 }],
    [{ ...BATCH, credits: 1e15 }],
    [{ ...BATCH, since: 1, by: 'pipeline/a', mayBePassed: true }],
  ])('are given as %.40j', (budgets) => {
    expect(checkBudgetsAbove(budgets)).toEqual([]);
  });

  it.each([
    null,
    BATCH,
    { length: 0 },
    [BATCH, BATCH, BATCH, BATCH, BATCH],
    [BATCH, 'x'],
    [null],
    [{ credits: 1 }],
    [{ ...BATCH, workflowId: 7 }],
    [{ ...BATCH, workflowId: '' }],
    [{ ...BATCH, workflowId: 'w'.repeat(256) }],
    [{ ...BATCH, workflowId: { length: 1 } }],
    [{ ...BATCH, credits: '5' }],
    [{ ...BATCH, credits: -1 }],
    [{ ...BATCH, credits: 1.1e15 }],
    [{ ...BATCH, more: 1 }],
    [{ ...BATCH, since: -1 }],
    [{ ...BATCH, by: '' }],
    [{ ...BATCH, mayBePassed: false }],
  ])('are not given as %.60j', (budgets) => {
    expect(checkBudgetsAbove(budgets)).toEqual([
      { path: 'budgetsAbove', message: 'must be a list of { workflowId, credits }, as a pipeline gives it' },
    ]);
  });
});
