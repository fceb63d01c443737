import { expect, it } from 'vitest';
import type { ModelShape } from '../../../src/contract/unclaimed-tasks.ts';
import { byteSize } from '../../../src/workflows/unclaimed-tasks/byte-size.ts';
import { KnownModels } from '../../../src/workflows/unclaimed-tasks/known-models.ts';

const shape = (...names: string[]): ModelShape => ({ family: 'image', takes: { names, open: false } });
const MAX_BYTES = 40_000;
/** One that leaves so many bytes beside it. */
const allBut = (bytes: number): ModelShape => {
  const frame = byteSize({ large: shape('') });
  return shape('x'.repeat(MAX_BYTES - frame - bytes));
};

it('a model is known as the latest claim says', () => {
  const models = new KnownModels({ a: shape('prompt') });
  models.learn('a', shape('prompt', 'n'));
  models.learn('b', shape('text'));
  expect(models.all).toEqual({ a: shape('prompt', 'n'), b: shape('text') });
  expect([models.of('b'), models.of('c')]).toEqual([shape('text'), undefined]);
});

it('a claim of release 0.1, which does not tell its model, leaves what is known of it', () => {
  const models = new KnownModels({ a: shape('prompt') });
  models.learn('a', undefined);
  models.learn('b', undefined);
  expect(models.all).toStrictEqual({ a: shape('prompt') });
});

it('models are known as far as there is room, and one without room as it was before', () => {
  const models = new KnownModels();
  models.learn('large', allBut(-1));
  expect(models.all).toEqual({});
  models.learn('large', allBut(0));
  expect(models.all).toEqual({ large: allBut(0) });
  models.learn('a', shape());
  expect(models.of('a')).toBeUndefined();
  models.learn('large', allBut(-1));
  expect(models.of('large')).toEqual(allBut(0));
});
