import { expect, it } from 'vitest';
import { wanted } from '../../src/client/starting/rerun.ts';

const earlierRun = '6b8a2a6c-52ee-4d3c-9a53-0d5a8a3e4a01';
const request = { model: 'image-l', input: {}, earlierRun };

it.each([
  ['the budget of its pipeline, until it is given one', 'BUDGET_EXCEEDED', { givesBudget: true }, false],
  ['the budget of its pipeline, whatever else is changed', 'BUDGET_EXCEEDED', { givesBudget: false }, true],
  ['the budget of its pipeline', 'BUDGET_EXCEEDED', undefined, true],
  ['an input that is gone, whatever it is given', 'OUTPUT_UNAVAILABLE', { givesBudget: true }, true],
] as const)('what runs again is held by %s', (_, type, change, isHeld) => {
  const held = { ...request, adoptOnly: { type, message: 'm' } };
  const again = wanted(held, change && { ...change, request: held });
  expect(again).toEqual(isHeld ? held : request);
});
