import { describe, expect, it } from 'vitest';
import type { PipelineStep } from '../../src/contract/pipeline.ts';
import { checkGraph, dependencies, readReference, resolveReferences } from '../../src/contract/references.ts';

const step = (input: Record<string, unknown>): PipelineStep => ({ model: 'image-l', input });

describe('references between steps', () => {
  it('are read with output 0 by default', () => {
    expect(readReference({ $from: 'a' })).toEqual({ kind: 'from', step: 'a', output: 0 });
    expect(readReference({ $from: 'a', output: 2 })).toEqual({ kind: 'from', step: 'a', output: 2 });
    expect(readReference({ $each: 'a' })).toEqual({ kind: 'each', step: 'a' });
  });

  it.each([
    { $from: 1 },
    { $from: 'a', output: -1 },
    { $from: 'a', output: 1.5 },
    { $each: 'a', output: 1 },
    { $form: 'a' },
  ])('are refused when malformed: %j', (value) => {
    expect(readReference(value)).toHaveProperty('error');
  });

  it('leave every other value alone', () => {
    expect([{ from: 'a' }, 'text', null, ['x'], 3].map(readReference)).toEqual(Array(5).fill(undefined));
  });

  it('are replaced wherever they stand', () => {
    const input = {
      prompt: 'x',
      image_urls: [{ $from: 'a' }, 'http://h/i.png'],
      deep: { url: { $each: 'b' } },
    };
    expect(resolveReferences(input, (found) => `<${found.step}>`)).toEqual({
      prompt: 'x',
      image_urls: ['<a>', 'http://h/i.png'],
      deep: { url: '<b>' },
    });
    expect(dependencies(step(input))).toEqual(['a', 'b']);
  });
});

describe('the graph of a pipeline', () => {
  it('may branch and join', () => {
    expect(
      checkGraph({
        a: step({ prompt: 'x' }),
        b: step({ u: { $from: 'a' } }),
        c: step({ u: { $from: 'a' } }),
        d: step({ u: [{ $from: 'b' }, { $from: 'c' }] }),
      }),
    ).toEqual([]);
  });

  it('has no cycle, and the refusal shows it', () => {
    const [error] = checkGraph({
      a: step({ u: { $from: 'c' } }),
      b: step({ u: { $from: 'a' } }),
      c: step({ u: { $from: 'b' } }),
    });
    expect(error?.message).toContain('a → c → b → a');
    expect(checkGraph({ a: step({ u: { $from: 'a' } }) })).toHaveLength(1);
  });

  it('names only its own steps', () => {
    expect(checkGraph({ a: step({ u: { $from: 'b' } }) })).toEqual([
      { path: 'steps.a.input.u', message: 'names no step of this pipeline; steps: a' },
    ]);
    expect(checkGraph({ a: step({ u: { $from: 'toString' } }) })).toHaveLength(1);
  });

  it('fans a step out over one other step at most', () => {
    const graph = { a: step({}), b: step({}), c: step({ u: { $each: 'a' }, v: { $each: 'b' } }) };
    expect(checkGraph(graph)).toEqual([expect.objectContaining({ path: 'steps.c.input' })]);
  });
});
