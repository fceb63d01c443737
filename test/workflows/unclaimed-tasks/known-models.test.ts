import { expect, it } from 'vitest';
import { fieldDigests, withTemplate } from '../../../src/api/input/field-digests.ts';
import type { ModelShape } from '../../../src/contract/entities/claims.ts';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import { KnownModels } from '../../../src/workflows/unclaimed-tasks/known-models.ts';

const shape = (...names: string[]): ModelShape => ({ family: 'image', takes: { names, open: false } });
const MAX_BYTES = 40_000;
/** One that leaves so many bytes beside it. */
const allBut = (bytes: number): ModelShape => {
  const frame = jsonBytes({ large: shape('') });
  return shape('x'.repeat(MAX_BYTES - frame - bytes));
};

const unseen = (...names: string[]): ModelShape => ({
  family: 'image',
  takes: { names, open: false, unseen: true },
});

it('a model is known by all that its claims have said', () => {
  const models = new KnownModels({ a: shape('prompt', 'seen before') });
  models.learn('a', shape('prompt', 'n'));
  models.learn('b', shape('text'));
  expect(models.all).toEqual({ a: shape('prompt', 'n', 'seen before'), b: shape('text') });
  expect([models.of('b'), models.of('c')]).toEqual([shape('text'), undefined]);
});

it('what one worker has seen of a model stays known when the next one has not seen it', () => {
  const models = new KnownModels();
  models.learn('a', unseen('prompt'));
  models.learn('a', unseen('prompt'));
  expect(models.all).toStrictEqual({ a: unseen('prompt') });
  models.learn('a', shape('prompt', 'n'));
  models.learn('a', unseen('prompt'));
  expect(models.all).toStrictEqual({ a: shape('prompt', 'n') });
});

it('a task of a model shows what its tasks carry, and no more names are kept than a model can have', () => {
  const models = new KnownModels({ a: unseen('prompt') });
  models.see('a', withTemplate(fieldDigests({ prompt: 'fox', n: 1 }), 'poster'));
  models.see('b', fieldDigests({ prompt: 'fox' }));
  expect(models.all).toStrictEqual({ a: shape('prompt', 'n') });
  for (let n = 0; n < 200; n += 1) models.see('a', fieldDigests({ [`x${n}`]: 1 }));
  expect(models.of('a')?.takes.names).toHaveLength(128);
});

it('a claim whose model cannot be read leaves what is known of it', () => {
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
