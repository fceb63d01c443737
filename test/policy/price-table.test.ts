import { describe, expect, it } from 'vitest';
import { priceFacts } from '../../src/policy/prices/price-facts.ts';
import { costOf, PriceTable } from '../../src/policy/prices/price-table.ts';

const facts = (model: string, input: Record<string, unknown>) => {
  const found = priceFacts({ model, input });
  if (found === undefined) throw new Error(`no facts of ${model}`);
  return found;
};
const speech = (characters: number) => facts('speech-a', { text: 'x'.repeat(characters) });
const image = (n: number, more = {}) => facts('image-l', { prompt: 'a fox', n, ...more });

function table(...prices: [ReturnType<typeof facts>, number][]): PriceTable {
  const learned = new PriceTable();
  for (const [kind, credits] of prices) learned.learn(kind, credits);
  return new PriceTable(JSON.parse(JSON.stringify(learned.list)) as PriceTable['list']);
}

describe('what a task will cost', () => {
  it('is not known before any of its kind was seen', () => {
    expect(table().estimate(image(1))).toBeUndefined();
    expect(table([image(1), 8]).estimate(image(1, { resolution: '4K' }))).toBeUndefined();
  });

  it('is what such tasks have cost, whatever they show and whatever their seed', () => {
    const seen = table([facts('image-r', { prompt: 'a fox', seed: 1 }), 8]);
    expect(seen.estimate(facts('image-r', { prompt: 'two foxes', seed: 2 }))).toMatchObject({
      low: 8,
      expected: 8,
      high: 8,
      isExact: true,
    });
  });

  it('hangs on the length of a text to speak', () => {
    const seen = table([speech(2), 1], [speech(1_000), 100]);
    expect(seen.estimate(speech(501))).toMatchObject({ low: 1, expected: 51, high: 100, isBounded: true });
    const longer = seen.estimate(speech(50_000));
    expect(longer).toMatchObject({ low: 100, expected: 5_000, high: 5_000, isBounded: false });
  });

  it('does not grow with the length where it never has', () => {
    const seen = table([speech(2), 4], [speech(1_000), 4]);
    expect(seen.estimate(speech(500))).toMatchObject({ low: 4, expected: 4, high: 4, isBounded: true });
  });

  it('grows with results and seconds, exactly where the specification prices the second', () => {
    expect(table([image(1), 8]).estimate(image(3))).toMatchObject({ low: 8, expected: 24, isBounded: false });
    const second = (duration: number) => facts('video-f', { prompt: 'zoom', duration });
    expect(table([second(5), 25]).estimate(second(10))).toMatchObject({ low: 50, high: 50, isBounded: true });
  });

  it('is the same for a USD of the catalogue, whatever makes it, and for no task of a length that nobody has said', () => {
    const seen = table([facts('video-f', { prompt: 'zoom', duration: 5, aspect_ratio: '1:1' }), 25]);
    const other = (more: object) => seen.estimate(facts('video-g', { prompt: 'a quay', ...more }));
    expect(other({ duration: 8 })).toMatchObject({ low: 40, expected: 40, high: 40, isBounded: true });
    expect(other({ duration: 4, n: 2 })).toMatchObject({ expected: 40 });
    expect(other({})).toBeUndefined();
    expect(seen.estimate(facts('video-i', { prompt: 'a quay', duration: 4 }))).toBeUndefined();
  });

  it('is told within a tenth once such tasks were seen twenty times, at lengths that vary', () => {
    const price = (characters: number): number => Math.ceil(characters / 10);
    const lengths = Array.from({ length: 20 }, (_, index) => 400 + 150 * index);
    const seen = table(
      ...lengths.map((length): [ReturnType<typeof speech>, number] => [speech(length), price(length)]),
    );
    for (const length of [1_111, 1_777, 2_345, 3_210])
      expect(Math.abs((seen.estimate(speech(length))?.expected ?? 0) / price(length) - 1)).toBeLessThan(0.1);
  });

  it('is a guess and no price where only more of it was bought: so much has to be free, and not what that has cost', () => {
    const seen = table([image(2), 16]);
    expect(costOf(seen.estimate(image(1)))).toEqual({ price: 16, expected: 8 });
    expect(costOf(seen.estimate(image(2)))).toEqual({ price: 16 });
    expect(costOf(seen.estimate(image(3)))).toEqual({ price: null });
    expect(costOf(undefined)).toEqual({ price: null });
  });

  it('is less for less only as far as the sizes that were seen differ: a part of it may be fixed', () => {
    const flat = table([speech(100), 20], [speech(1_000), 20]);
    expect(costOf(flat.estimate(speech(10)))).toEqual({ price: 20 });
    const partly = table([speech(100), 20], [speech(1_100), 120]);
    expect(costOf(partly.estimate(speech(50)))).toEqual({ price: 20, expected: 15 });
    const rounded = table([speech(995), 10], [speech(996), 10]);
    expect(costOf(rounded.estimate(speech(100)))).toEqual({ price: 10, expected: 2 });
  });

  it('follows a price that has changed for good', () => {
    const changed = new PriceTable();
    for (const credits of [8, 8, 9, 9, 9, 9]) changed.learn(image(1), credits);
    expect(changed.estimate(image(1))).toMatchObject({ low: 8, expected: 9, high: 9 });
    changed.learn(image(1), 9);
    expect(changed.estimate(image(1))).toMatchObject({ low: 9, expected: 9, high: 9 });
  });

  it('learns nothing of what was given back', () => {
    const seen = new PriceTable();
    expect(seen.learn(image(1), 0)).toBe(false);
    expect(seen.estimate(image(1))).toBeUndefined();
  });
});
