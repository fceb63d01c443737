import { expect, it } from 'vitest';
import { wanted } from '../../src/client/starting/rerun.ts';

const request = { model: 'image-l', input: {} };
const below = { ...request, budgetsAbove: [{ workflowId: 'pipeline/p', credits: 8 }] };

it.each([
  ['within the budgets above it', undefined, below],
  ['within them, whatever else is changed', { request: below, givesBudget: false }, below],
  ['within a budget of its own alone, once it is given one', { request: below, givesBudget: true }, request],
])('what runs again does so %s', (_, change, expected) => {
  expect(wanted(below, change)).toEqual(expected);
});
