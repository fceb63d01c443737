import { describe, expect, it } from 'vitest';
import {
  fanOf,
  findReferences,
  readReference,
  resolveReferences,
  stepsOf,
} from '../../src/contract/steps/references.ts';

describe('references between steps', () => {
  it.each([
    [{ $from: 'a' }, { kind: 'from', step: 'a', output: 0 }],
    [
      { $from: 'a', output: 2 },
      { kind: 'from', step: 'a', output: 2 },
    ],
    [{ $each: 'a' }, { kind: 'each', step: 'a' }],
    [{ $all: 'a' }, { kind: 'all', step: 'a' }],
    [{ $param: 'city' }, { kind: 'param', param: 'city' }],
    [{ $each: { $param: 'cities' } }, { kind: 'each param', param: 'cities' }],
  ])('are read: %j', (value, reference) => {
    expect(readReference(value)).toEqual(reference);
  });

  it.each([
    { $from: 1 },
    { $from: 'a', output: -1 },
    { $from: 'a', output: 1.5 },
    { $each: 'a', output: 1 },
    { $each: { $from: 'a' } },
    { $all: ['a'] },
    { $param: 'a', output: 1 },
    { $form: 'a' },
  ])('are refused when malformed: %j', (value) => {
    expect(readReference(value)).toHaveProperty('error');
  });

  it('leave every other value alone', () => {
    expect([{ from: 'a' }, 'text', null, ['x'], 3].map(readReference)).toEqual(Array(5).fill(undefined));
  });

  it('are found in the order of the input, and replaced wherever they stand', () => {
    const input = {
      prompt: { $param: 'city' },
      image_urls: [{ $from: 'a' }, 'http://h/i.png'],
      deep: { url: { $each: 'b' } },
    };
    const { references } = findReferences(input, 'in');
    expect(references.map(({ path }) => path)).toEqual(['in.prompt', 'in.image_urls.0', 'in.deep.url']);
    expect(fanOf(references)).toEqual({ kind: 'each', step: 'b' });
    expect(resolveReferences(input, ({ kind }, path) => `<${kind} at ${path}>`)).toEqual({
      prompt: '<param at prompt>',
      image_urls: ['<from at image_urls.0>', 'http://h/i.png'],
      deep: { url: '<each at deep.url>' },
    });
    expect(stepsOf(references)).toEqual(['a', 'b']);
  });
});
