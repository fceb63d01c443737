import { expect, it } from 'vitest';
import { Prices } from '../../src/contract/purchases/prices.ts';
import { proseOf } from '../../src/contract/purchases/prose.ts';

const attempt = (total: number) => ({
  taskId: 't',
  outcome: 'completed' as const,
  code: null,
  usage: { total, subscription: total, permanent: 0 },
  settledBy: 'poll' as const,
  adopted: false,
});

it('a price is of a model, the fields that are no prose, and the template that may say the rest', () => {
  const prices = new Prices(proseOf(['image-l']));
  const poster = { model: 'image-l', input: { prompt: 'a fox', n: 2 }, templateId: 'tpl_poster' };
  prices.learn(poster, [attempt(16)]);
  expect(prices.of({ ...poster, input: { prompt: 'a bear', n: 2 } })).toBe(16);
  expect(prices.of({ ...poster, templateId: 'tpl_other' })).toBeUndefined();
  expect(prices.of({ model: 'image-l', input: poster.input })).toBeUndefined();
  expect(prices.of({ ...poster, input: { n: 3 } })).toBeUndefined();
  const carried = new Prices(prices.prose, prices.entries());
  expect([carried.of(poster), carried.areAlike(poster, { ...poster, templateId: 'tpl_other' })]).toEqual([
    16,
    false,
  ]);
});
