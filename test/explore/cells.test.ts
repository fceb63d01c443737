import { expect, it } from 'vitest';
import { patience } from '../patience.ts';
import { explore } from './explore.ts';

/** Each broke the rule once. */
const CELLS = [
  'rejected, another seed lost/sent POST#2/reset to 1',
  "lost, told at once/throughout/the records' clock a minute behind",
  'given up, then refused/event workflow-execution-failed#1/later, run again',
  'bought again, told meanwhile/after withdrawClaim#1/reset to 1',
  'bought again, told meanwhile/before judgeTask#1/reset to 5 without messages',
  'adopted/before submitTask#2/terminate, earlier runs deleted, run again',
  'adopted/after submitTask#2/terminate, earlier runs deleted, run again',
  'gone on as new, lost, told late/before lookAtTask#1/terminate, earlier runs deleted, run again',
  'bought again, told meanwhile/event workflow-execution-signaled#1/a moment later, reset',
];

it('the rule holds in cells that broke it once', { timeout: patience(900_000) }, async () => {
  const { violations, cells } = await explore({ cells: CELLS, say: () => undefined });
  expect(violations.map(({ why, repeat }) => `${why}\n  ${repeat}`)).toEqual([]);
  expect(cells).toBe(CELLS.length);
});
