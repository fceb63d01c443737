import { expect, it } from 'vitest';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import { ClaimBook } from '../../../src/workflows/unclaimed-tasks/claim-book.ts';
import { describe as inWords } from '../../../src/workflows/unclaimed-tasks/describe.ts';

const fields = fieldDigests({ prompt: 'fox' });
const claim = (n: number, workflowId = `generation/${n}`) => ({
  claimId: `c${n}`,
  workflowId,
  firstRunId: `r${n}`,
  runId: `r${n}`,
  model: 'image-l',
  shape: { family: 'image' as const, takes: { names: ['prompt'], open: false } },
  fields,
  since: 0,
  wait: 60_000,
  patience: 10_000,
});
const book = () => new ClaimBook({ workspace: 'default' }, [], 0);

it('the Web UI shows how many tasks and generations there are, and nothing of what there is none of', () => {
  const one = book();
  expect(inWords(one)).toBe('0 task(s) that nobody is known to hold, 0 generation(s) looking\n');
  one.addTask({ taskId: 't', arrivedAt: 0, createdAt: null, fields }, 0);
  one.addClaim(claim(1), 0);
  expect(inWords(one)).toBe(
    '1 task(s) that nobody is known to hold, 1 generation(s) looking\n\n- `generation/1` (image-l)',
  );
});

it('the Web UI names fifty generations, each as far as a person reads', () => {
  const one = book();
  for (let n = 0; n < 50; n += 1) one.addClaim(claim(n, `${n}/${'x'.repeat(300)}`), 0);
  const fifty = inWords(one).split('\n');
  expect(fifty).toHaveLength(52);
  expect(fifty[2]).toBe(`- \`0/${'x'.repeat(198)}\` (image-l)`);
  for (let n = 50; n < 53; n += 1) one.addClaim(claim(n), 0);
  expect(inWords(one).split('\n')).toHaveLength(53);
  expect(inWords(one)).toMatch(/\n- and 3 more$/);
});

it('the Web UI tells what was given up, forgotten, refused or not understood', () => {
  const one = book();
  one.addClaim(claim(1), 0);
  one.withdraw({ claimId: 'c1', as: 'abandon' }, 0);
  Object.assign(one.alarms.counts, { evicted: 2, refused: 3, malformed: 4 });
  expect(inWords(one).split('\n').slice(1)).toEqual([
    '',
    '',
    '1 submit(s) were given up; whether one was charged after all is told when it shows',
    '',
    '2 **task(s) had to be forgotten early for lack of room: a submit may be bought twice**',
    '',
    '3 claim(s) had to come again for lack of room',
    '',
    '4 message(s) could not be understood',
  ]);
});
