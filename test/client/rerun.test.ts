import { expect, it } from 'vitest';
import { given } from '../../src/api/json/given.ts';
import { goingOn, wanted } from '../../src/client/starting/rerun.ts';

const request = { model: 'image-l', input: {} };
const below = { ...request, budgetsAbove: [{ workflowId: 'pipeline/p', credits: 8 }] };

it.each([
  ['within the budgets above it', undefined, below],
  ['within them, whatever else is changed', { request: below, givesBudget: false }, below],
  [
    'within a budget of its own, once it is given one: those above it only count',
    { request: below, givesBudget: true },
    { ...request, budgetsAbove: [{ workflowId: 'pipeline/p', credits: 8, mayBePassed: true }] },
  ],
])('what runs again does so %s', (_, change, expected) => {
  expect(wanted(below, change)).toEqual(expected);
});

it.each([
  ['goes on', { budget: { credits: 8 } }, undefined, { credits: 8, of: 'pipeline/p', since: 0 }],
  ['is raised', { budget: { credits: 8 } }, { credits: 16 }, { credits: 16, of: 'pipeline/p' }],
  [
    'goes on as it was said before',
    { budget: { credits: 8, of: 'pipeline/first', since: 3 } },
    undefined,
    { credits: 8, of: 'pipeline/first', since: 3 },
  ],
  [
    'is that of the first run',
    { budget: { credits: 8, of: 'pipeline/first', since: 3 } },
    { credits: 16, since: 3 },
    { credits: 16, of: 'pipeline/first' },
  ],
  [
    'is checked as it was given',
    { budget: { credits: 8 } },
    { credits: 8, credit: 16 },
    { credits: 8, credit: 16, of: 'pipeline/p' },
  ],
  ['is none', {}, undefined, undefined],
])('the budget of a rerun %s', (_, before, changed, budget) => {
  const run = { workflowId: 'pipeline/p', as: 'pipeline/q' };
  expect(goingOn(run, before, changed)).toEqual({ ...given({ budget }), reuse: 'pipeline/p' });
});

it('a rerun tells the budgets above it that it goes on with them', () => {
  const above = { workflowId: 'batch/b', credits: 100, since: 3 };
  const run = { workflowId: 'batch/b/row', as: 'pipeline/q' };
  expect(goingOn(run, { budgetsAbove: [above] }, undefined)).toEqual({
    budgetsAbove: [{ ...above, by: 'pipeline/q' }],
    reuse: 'batch/b/row',
  });
});
