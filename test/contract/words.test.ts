import { describe, expect, it } from 'vitest';
import { describePipelineFailure } from '../../src/contract/failures/pipeline-failure.ts';
import type { PipelineResult } from '../../src/contract/pipeline.ts';
import { isSearchable } from '../../src/contract/search-attributes.ts';
import { cutLabel, cutSummary, summarize } from '../../src/contract/summary.ts';

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

  it('names ten steps, and counts the others', () => {
    const steps = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`s${i}`, failed]));
    expect(told(steps)).toContain('s9 (failed), and 2 more; ');
    expect(told({})).toMatch(/^a step is not completed; /);
  });
});
