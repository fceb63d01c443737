import { expect, it } from 'vitest';
import { explore } from './explore.ts';

it.each([
  'rejected, another seed lost/sent POST#2/reset to 1',
  "lost, told at once/throughout/the records' clock a minute behind",
  'given up, then refused/event workflow-execution-failed#1/later, run again',
  'bought again, told meanwhile/after withdrawClaim#1/reset to 1',
  'bought again, told meanwhile/before getTask#1/reset to 5 without messages',
  'adopted/before submitTask#2/terminate, earlier runs deleted, run again',
  'adopted/after submitTask#2/terminate, earlier runs deleted, run again',
  'gone on as new, lost, told late/before lookAtTask#1/terminate, earlier runs deleted, run again',
  'bought again, told meanwhile/event workflow-execution-signaled#1/a moment later, reset',
])('the rule holds in a cell that broke it once: %s', { timeout: 900_000 }, async (cell) => {
  const { violations } = await explore({ cell, say: () => undefined });
  expect(violations.map(({ why }) => why)).toEqual([]);
});
