import { describe, expect, it } from 'vitest';
import { type FieldDigests, fieldDigests, withTemplate } from '../../../src/api/input/field-digests.ts';
import { FieldIndex } from '../../../src/workflows/unclaimed-tasks/field-index.ts';

interface Item {
  fields: FieldDigests;
}
const item = (input: object): Item => ({ fields: fieldDigests(input) });
const indexed = (...items: Item[]): FieldIndex<Item> => {
  const index = new FieldIndex<Item>();
  for (const each of items) index.add(each);
  return index;
};
const found = (index: FieldIndex<Item>, input: object): Item[] => [...index.candidates(fieldDigests(input))];

describe('submits', () => {
  it('are found by a task that has what they sent, whatever else it has', () => {
    const fox = item({ prompt: 'fox' });
    const index = indexed(fox, item({ prompt: 'hare' }), item({ text: 'fox' }));
    expect(found(index, { prompt: 'fox', n: 1 })).toEqual([fox]);
    expect(found(index, { n: 1 })).toEqual([]);
  });

  it('that sent nothing may have bought anything, also from a template', () => {
    const nothing = item({});
    const template = { fields: withTemplate({}, 'poster') };
    expect(found(indexed(nothing, template), { prompt: 'fox' })).toEqual([nothing, template]);
  });

  it('are told apart by the field that the fewest share', () => {
    const common = item({ prompt: 'fox' });
    const seeded = [item({ prompt: 'fox', seed: 1 }), item({ seed: 2, prompt: 'fox' })];
    const index = indexed(common, ...seeded);
    expect(found(index, { prompt: 'fox', seed: 3 })).toEqual([common]);
    expect(found(index, { prompt: 'fox', seed: 2 })).toEqual([common, seeded[1]]);
  });

  it('that are gone are found no more, and make their fields rare again', () => {
    const [one, other] = [item({ prompt: 'fox' }), item({ prompt: 'fox' })];
    const index = indexed(one, other);
    index.delete(one);
    index.delete(one);
    index.delete(item({ prompt: 'never put in' }));
    expect(found(index, { prompt: 'fox' })).toEqual([other]);
    index.delete(other);
    expect(found(index, { prompt: 'fox' })).toEqual([]);
    index.add(one);
    expect(found(index, { prompt: 'fox' })).toEqual([one]);
  });
});
