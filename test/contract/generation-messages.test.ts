import { expect, it } from 'vitest';
import { isCredits } from '../../src/contract/generation-messages.ts';

it.each([-1, 1e16, Number.NaN, '8'])('%s is nothing that a task costs', (value) => {
  expect(isCredits(value)).toBe(false);
});
