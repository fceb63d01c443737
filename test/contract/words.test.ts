import { describe, expect, it } from 'vitest';
import { describeCounts, isToStart, ROW_ID } from '../../src/contract/batch.ts';
import {
  budgetInWords,
  reservedInWords,
  unansweredInWords,
} from '../../src/contract/entities/account-words.ts';
import { whyNotOurs } from '../../src/contract/entities/task-notices.ts';
import { describePipelineFailure } from '../../src/contract/failures/pipeline-failure.ts';
import { failure, ok, warning } from '../../src/contract/finding.ts';
import { jsonBytes } from '../../src/contract/json-bytes.ts';
import { MAX_DATA_BYTES } from '../../src/contract/limits.ts';
import type { PipelineResult } from '../../src/contract/pipeline.ts';
import { isSearchable } from '../../src/contract/search-attributes.ts';
import { cutLabel, cutSummary, summarize } from '../../src/contract/summary.ts';

it('a task that a run does not get is kept for another one, or nobody can tell', () => {
  const taskId = 't-1';
  expect(whyNotOurs({ taskId, kind: 'unreadable', reason: 'no answer' })).toBe('no answer');
  expect(whyNotOurs({ taskId, kind: 'other', workflowId: 'generation/a', taskQueue: 'darkroom' })).toBe(
    'it is kept for generation/a (by task queue darkroom)',
  );
});

describe('a generation in one line', () => {
  it.each([
    [{ prompt: 'a red\n fox', text: 'x' }, 'image-l: a red fox'],
    [{ prompt: '', text: 'good evening' }, 'image-l: good evening'],
    [{ image_url: 'https://a.example/1.png' }, 'image-l: https://a.example/1.png'],
    [{ video_url: 'https://a.example/1.mp4' }, 'image-l: https://a.example/1.mp4'],
    [{ input_image: 'https://a.example/2.png' }, 'image-l: https://a.example/2.png'],
    [{ prompt: 7 }, 'image-l'],
  ])('%j', (input, line) => {
    expect(summarize({ model: 'image-l', input })).toBe(line);
  });

  it('names its template', () => {
    expect(summarize({ model: 'image-l', input: {}, templateId: 'tpl' })).toBe('image-l from template tpl');
  });

  it.each([
    ['a'.repeat(197), 'a'.repeat(197)],
    ['a'.repeat(198), `${'a'.repeat(197)}…`],
    ['é'.repeat(99), `${'é'.repeat(98)}…`],
    ['世'.repeat(66), `${'世'.repeat(65)}…`],
    ['\u0080'.repeat(99), `${'\u0080'.repeat(98)}…`],
    ['\u0800'.repeat(66), `${'\u0800'.repeat(65)}…`],
    ['\u{10000}'.repeat(50), `${'\u{10000}'.repeat(49)}…`],
    ['🦊'.repeat(50), `${'🦊'.repeat(49)}…`],
  ])('has at most 200 bytes: %.4s…', (text, line) => {
    expect(cutSummary(text)).toBe(line);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(200);
  });

  it('is shorter beside a timer', () => {
    expect(cutLabel('a'.repeat(61)).length).toBeLessThanOrEqual(60);
    expect(cutLabel('a'.repeat(60))).toBe('a'.repeat(60));
  });
});

describe('how far a batch is, in words', () => {
  const counts = { rows: 9, completed: 4, failed: 1, running: [6, 7], refused: 0 };

  it('is one line, and one more for what its budget keeps from it', () => {
    expect(describeCounts(counts)).toEqual(['4 of 9 rows completed, 1 failed, 2 running']);
    const waiting = { rows: 1, note: 'what is left is reserved' };
    expect(describeCounts({ ...counts, refused: 2, waiting }).slice(1)).toEqual([
      '2 not started: the budget does not admit them',
      '1 row waits for its budget: what is left is reserved. It goes on by itself.',
    ]);
    expect(describeCounts({ ...counts, refused: 2, refusal: 'nothing is left' }).slice(1)).toEqual([
      '2 not started: the budget does not admit them (the last one: nothing is left)',
    ]);
    expect(describeCounts({ ...counts, waiting: { ...waiting, rows: 3 } }).slice(1)).toEqual([
      '3 rows wait for their budget: what is left is reserved. They go on by themselves.',
    ]);
  });

  it.each<[row: Parameters<typeof isToStart>[0], fresh: boolean, retried: boolean]>([
    [{ kind: 'missing' }, true, true],
    [{ kind: 'running' }, false, false],
    [{ kind: 'different' }, false, false],
    [{ kind: 'ended', isCompleted: true }, false, false],
    [{ kind: 'ended', isCompleted: false }, false, true],
    [{ kind: 'ended', isCompleted: true, isBefore: true }, true, true],
  ])('starts a row that is %j: %s, and %s where failed ones are retried', (row, fresh, retried) => {
    expect([undefined, false, true].map((retryFailed) => isToStart(row, retryFailed))).toEqual([
      fresh,
      fresh,
      retried,
    ]);
  });

  it.each(['a', '9', 'film-1.take_2', 'x'.repeat(64)])('a row may be called %s', (id) => {
    expect(ROW_ID.test(id)).toBe(true);
  });

  it.each(['', '-a', '.a', 'a/b', 'a b', ' a', 'a\n', 'x'.repeat(65)])('a row is not called %j', (id) => {
    expect(ROW_ID.test(id)).toBe(false);
  });
});

describe('why credits are not to be had, in words', () => {
  const holders = [{ workflowId: 'batch/films/a', credits: 8, isUnknown: false }];
  const busy = { kind: 'busy', spent: 42, reserved: 8, holders } as const;
  it.each([
    ['submit', 'submits under way'],
    ['doubt', 'submits of which nobody can tell yet whether they have bought a task'],
    ['task', 'tasks that have not ended'],
    ['part', 'rows that run'],
  ] as const)('%s', (from, words) => {
    expect(reservedInWords(budgetInWords('batch/films', 50), { ...busy, from })).toBe(
      `what is left of the budget of batch/films, 50 credits, is reserved for ${words}. Reserved are 8 for batch/films/a. Wait for their end, or raise the limit`,
    );
  });

  it('the account does not answer', () => {
    expect(unansweredInWords('cap film')).toBe('the account of cap film does not answer');
  });
});

it('a finding is fine, a warning or a failure, and says what to do', () => {
  expect(ok('temporal', 'answers')).toEqual({
    check: 'temporal',
    status: 'ok',
    message: 'answers',
    fix: null,
  });
  const found = { check: 'key', message: 'is wrong', fix: 'set it' };
  expect(warning('key', 'is wrong', 'set it')).toEqual({ ...found, status: 'warning' });
  expect(failure('key', 'is wrong', 'set it')).toEqual({ ...found, status: 'failure' });
});

it.each([
  'plain',
  'a\u007f\u0080b',
  '\u07ff\u0800',
  '\ud7ff\ue000\uffff',
  '🦊\u{10000}\u{10ffff}',
  { deep: ['ä', 1, null] },
])('%j has as many bytes as it is sent with', (value) => {
  expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
});

it('what is no JSON has no bytes; a record may have 256 KB', () => {
  expect([jsonBytes(undefined), MAX_DATA_BYTES]).toEqual([0, 262_144]);
});

it.each([
  ['text', true],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
  ['', false],
  [7, false],
])('%.5s can be searched for: %s', (value, is) => {
  expect(isSearchable(value)).toBe(is);
});

describe('how a pipeline failed', () => {
  const usage = { total: 12, subscription: 12, permanent: 0 };
  const failed = {
    status: 'FAILED',
    workflowId: 'w',
    failure: { type: 'FAILED', message: 'no', details: null },
  };
  const skipped = {
    status: 'SKIPPED',
    workflowId: 'v',
    failure: { type: 'SKIPPED', message: 'still failed', details: null },
  };
  const told = (steps: object, charged = usage): string =>
    describePipelineFailure({ status: 'FAILED', steps, usage, charged } as unknown as PipelineResult); // what the words need of it
  const END =
    'a Reset keeps what is completed and buys only what is not; to change a step, rerun it with --set';

  it('begins with what failed, not with what was skipped', () => {
    expect(told({ clip: skipped, still: failed })).toBe(
      `step still failed: FAILED: no; not completed: clip (skipped), still (failed); 12 credits were spent; ${END}`,
    );
    expect(told({ clip: skipped })).toContain('step clip was skipped: still failed; ');
  });

  it('names an item of a fan-out, and what earlier runs have spent', () => {
    const step = { status: 'FAILED', items: [{ status: 'COMPLETED' }, failed] };
    expect(told({ still: step }, { ...usage, total: 5 })).toBe(
      `step still/1 failed: FAILED: no; not completed: still (failed); 12 credits were spent, 7 of them by earlier runs; ${END}`,
    );
  });

  it('tells neither of steps nor of items that are completed', () => {
    const steps = {
      first: { status: 'COMPLETED' },
      still: { status: 'FAILED', items: [failed, { status: 'COMPLETED' }] },
    };
    expect(told(steps)).toContain('step still/0 failed: FAILED: no; not completed: still (failed); ');
    const part = { still: { status: 'PARTIAL', items: [{ status: 'COMPLETED' }, skipped] } };
    expect(told(part)).toContain('step still/1 was skipped: still failed; not completed: still (partial); ');
  });

  it('names ten steps, and counts the others', () => {
    const steps = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`s${i}`, failed]));
    expect(told(steps)).toContain('s9 (failed), and 2 more; ');
    delete steps['s11'];
    delete steps['s10'];
    expect(told(steps)).toContain('s9 (failed); ');
    expect(told({})).toMatch(/^a step is not completed; /);
  });
});
