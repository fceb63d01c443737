import { expect, test } from 'vitest';
import { BuildPace } from '../../../src/local/temporal/build-pace.ts';

const MINUTE = 60_000;
const packages = new Map([
  ['a', 1_000],
  ['b', 3_000],
  ['c', 46_000],
  ['d', 50_000],
]);

test('the time to go follows the bytes that are compiled, at the pace of this machine, and slows down', () => {
  const pace = new BuildPace(packages, 7 * MINUTE);
  const at = (minute: number) => pace.describe((7 + minute) * MINUTE);
  expect(at(0)).toBe('0 of 4 packages');
  pace.begin('a');
  expect(at(0.1)).toBe('1 of 4 packages'); // too little for a guess
  pace.begin('b');
  expect(at(0.2)).toBe('2 of 4 packages, about 9 min to go');
  pace.begin('c');
  expect(at(4)).toBe('3 of 4 packages, about 6 min to go');
  pace.begin('d');
  expect(at(8)).toBe('4 of 4 packages, less than a minute to go');
});
