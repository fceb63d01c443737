import { describe, expect, it } from 'vitest';
import { checkPipelineRequest } from '../../../src/contract/checks/check-pipeline.ts';

const deps = { models: {}, workspaces: new Map([['default', {}]]) };

const still = { model: 'image-l', input: { prompt: 'a lighthouse' } };
const large = (reference: unknown) => ({ model: 'upscale-q', input: { image_url: reference } });

/** What a check has looked at of a request of that size. */
type Shape = (size: number) => unknown;

describe('the work of a check', () => {
  const steps = (size: number, stepOf: (index: number) => unknown): unknown => ({
    steps: Object.fromEntries(Array.from({ length: size }, (_, index) => [`s${index}`, stepOf(index)])),
  });
  const shapes: Record<string, Shape> = {
    'a chain': (size) => steps(size, (index) => large(index === 0 ? 'x' : { $from: `s${index - 1}` })),
    'a circle': (size) => steps(size, (index) => large({ $from: `s${(index + 1) % size}` })),
    'steps that all refer to the same ones': (size) =>
      steps(size, (index) => ({
        model: 'image-l',
        input: {
          prompt: 'x',
          image_urls: index < 4 ? [] : [0, 1, 2, 3].map((one) => ({ $from: `s${one}` })),
        },
      })),
    'ladders of diamonds': (size) =>
      steps(size, (index) => ({
        model: 'image-l',
        input: {
          prompt: 'x',
          image_urls: index < 2 ? [] : [{ $from: `s${index - 1}` }, { $from: `s${index - 2}` }],
        },
      })),
    'wrong references': (size) =>
      steps(size / 20, () => ({
        model: 'image-r',
        input: { prompt: 'x', image_urls: Array.from({ length: 20 }, () => ({ $from: 'gone' })) },
      })),
    'one wide input': (size) => ({
      steps: { a: { model: 'image-r', input: { prompt: 'x', image_urls: Array(size).fill('x') } } },
    }),
    parameters: (size) => ({
      steps: { a: still },
      params: Object.fromEntries(Array.from({ length: size }, (_, index) => [`p${index}`, [index]])),
    }),
  };

  it.each(Object.entries(shapes))(
    'doubles when %s gets twice as long, and does not grow more',
    (_, shape) => {
      const visits = (size: number): number => {
        const tally = { visits: 0 };
        checkPipelineRequest(shape(size), deps, tally);
        return tally.visits;
      };
      const [small, twice] = [visits(400), visits(800)];
      expect(small).toBeGreaterThan(300);
      expect(twice).toBeLessThanOrEqual(2.1 * small);
    },
  );

  it.each(Object.entries(shapes))('reads the fields of %s as often, however long it is', (_, shape) => {
    const reads = (size: number): number => {
      const count = { reads: 0 };
      checkPipelineRequest(counting(shape(size), count), deps);
      return count.reads;
    };
    expect(reads(800)).toBeLessThanOrEqual(2.2 * reads(400));
  });
});

/** The same value, but every look at what is inside is counted. */
function counting(value: unknown, count: { reads: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const inner = Array.isArray(value)
    ? value.map((one) => counting(one, count))
    : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, counting(one, count)]));
  return new Proxy(inner, {
    get(target, key, receiver) {
      count.reads += 1;
      return Reflect.get(target, key, receiver);
    },
    ownKeys(target) {
      count.reads += 1;
      return Reflect.ownKeys(target);
    },
  });
}
