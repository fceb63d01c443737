import { describe, expect, it } from 'vitest';
import { priceFacts } from '../../src/policy/prices/price-facts.ts';
import { costOf, PriceTable } from '../../src/policy/prices/price-table.ts';

const facts = (model: string, input: Record<string, unknown>, sourceSeconds = {}) => {
  const found = priceFacts({ model, input, sourceSeconds });
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

  it('is what less of it has cost, in proportion, where only that was bought', () => {
    const varied = table([image(2), 12], [image(2), 16], [image(2), 12]).estimate(image(4));
    expect(varied).toMatchObject({ low: 12, expected: 24, high: 32 });
  });

  it('is more for more only as far as the sizes that were seen differ', () => {
    const flat = table([speech(100), 20], [speech(1_000), 20]);
    expect(flat.estimate(speech(1_900))).toMatchObject({ low: 20, expected: 22, high: 22, isBounded: false });
    const cheaper = table([speech(100), 50], [speech(1_000), 20]);
    expect(cheaper.estimate(speech(1_900))).toMatchObject({ expected: 20, high: 20 });
  });

  it('is less for less only as far as the sizes that were seen differ: a part of it may be fixed', () => {
    const flat = table([speech(100), 20], [speech(1_000), 20]);
    expect(costOf(flat.estimate(speech(10)))).toEqual({ price: 20 });
    const partly = table([speech(100), 20], [speech(1_100), 120]);
    expect(costOf(partly.estimate(speech(50)))).toEqual({ price: 20, expected: 15 });
    const rounded = table([speech(995), 10], [speech(996), 10]);
    expect(costOf(rounded.estimate(speech(100)))).toEqual({ price: 10, expected: 2 });
  });

  it('goes by the greatest size that was seen: by the one that shows best what is fixed', () => {
    const seen = table([speech(100), 20], [speech(1_100), 120], [speech(2_100), 120]);
    expect(costOf(seen.estimate(speech(50)))).toEqual({ price: 20, expected: 18 });
  });

  describe('of sources that are heard or seen as they run', () => {
    const URLS = { video_url: 'https://a.example/1.mp4', audio_url: 'https://a.example/1.mp3' };
    const sync = (video?: number, audio = video, more = {}) =>
      facts(
        'lip-sync-h',
        { ...URLS, ...more },
        video === undefined ? {} : { video_url: video, audio_url: audio },
      );

    it('hangs on how long they last', () => {
      const seen = table([sync(4), 40], [sync(40), 400]);
      expect(seen.estimate(sync(4))).toMatchObject({ low: 40, high: 40, isExact: true });
      expect(seen.estimate(sync(22))).toMatchObject({ low: 40, expected: 220, high: 400, isBounded: true });
      expect(costOf(seen.estimate(sync(4)))).toEqual({ price: 40 });
      expect(costOf(table([sync(4), 40]).estimate(sync(40)))).toEqual({ price: null, expected: 400 });
    });

    it('is bounded by what such tasks have cost of which no source was shorter, whichever it hangs on', () => {
      const seen = table([sync(40, 4), 40], [sync(4, 40), 40]);
      expect(costOf(seen.estimate(sync(3, 30)))).toMatchObject({ price: 40 });
      expect(costOf(seen.estimate(sync(40, 40)))).toEqual({ price: null, expected: 400 });
      expect(costOf(table([sync(40, 4), 40]).estimate(sync(4, 40)))).toEqual({ price: null, expected: 400 });
    });

    it('is what any of the kind has cost where nobody knows it: the most has to be free, and it is no bound', () => {
      const seen = table([sync(4), 40], [sync(40), 400]);
      const estimate = seen.estimate(sync());
      expect(estimate).toMatchObject({ low: 40, expected: 220, high: 400, seen: 2, sources: 'unknown' });
      expect(costOf(estimate)).toEqual({ price: null, expected: 400 });
      expect(seen.estimate(sync(undefined, undefined, { n: 2 }))).toMatchObject({ low: 80, high: 800 });
      expect(table().estimate(sync())).toBeUndefined();
      const unknown = table([sync(), 40]);
      expect(costOf(unknown.estimate(sync()))).toEqual({ price: null, expected: 40 });
      expect(costOf(unknown.estimate(sync(4)))).toEqual({ price: null, expected: 40 });
      expect(unknown.estimate(sync(4))).not.toMatchObject({ isExact: true });
    });

    it('does not hang on them where twenty in a row of unknown lengths have cost the same, and none another price', () => {
      const same = (times: number): [ReturnType<typeof sync>, number][] =>
        Array.from({ length: times }, () => [sync(), 40]);
      expect(costOf(table(...same(19)).estimate(sync()))).toEqual({ price: null, expected: 40 });
      expect(costOf(table(...same(20)).estimate(sync()))).toEqual({ price: 40 });
      expect(costOf(table([sync(9), 90], ...same(20)).estimate(sync()))).toEqual({
        price: null,
        expected: 90,
      });
      expect(costOf(table(...same(20), [sync(), 41]).estimate(sync()))).toEqual({
        price: null,
        expected: 41,
      });
    });

    it('is told within a tenth once such tasks were seen twenty times, at lengths that vary', () => {
      const price = (seconds: number): number => Math.ceil(seconds * 10);
      const lengths = Array.from({ length: 20 }, (_, index) => 2.5 + 1.7 * index);
      const seen = table(...lengths.map((one): [ReturnType<typeof sync>, number] => [sync(one), price(one)]));
      for (const one of [11.1, 17.77, 23.4, 31])
        expect(Math.abs((seen.estimate(sync(one))?.expected ?? 0) / price(one) - 1)).toBeLessThan(0.1);
    });
  });

  it('lies between the next smaller and the next greater size, in whatever order they were bought', () => {
    for (const lengths of [
      [200, 1_000, 600],
      [1_000, 200, 600],
      [600, 1_000, 200],
    ]) {
      const seen = table(
        ...lengths.map((length): [ReturnType<typeof speech>, number] => [speech(length), length]),
      );
      expect(seen.estimate(speech(300))).toMatchObject({ low: 200, expected: 300, high: 600 });
      expect(seen.estimate(speech(700))).toMatchObject({ low: 600, expected: 700, high: 1_000 });
    }
  });

  it('rests on the tasks of the sizes next to it', () => {
    const [small, big] = [image(2), image(4)];
    const seen = table([small, 16], [small, 16], [big, 32], [big, 32], [big, 32]);
    expect([1, 2, 3, 4, 5].map((n) => seen.estimate(image(n))?.seen)).toEqual([2, 2, 5, 3, 3]);
  });

  it('may be one credit, and is no less than a share of it, where only more was bought', () => {
    expect(table([image(2), 16]).estimate(image(1))).toMatchObject({ low: 1, expected: 8, high: 16 });
    const second = (duration: number) => facts('video-f', { prompt: 'zoom', duration });
    expect(table([second(10), 50]).estimate(second(5))).toMatchObject({ low: 25, expected: 25, high: 50 });
  });

  it('follows a price that has changed for good', () => {
    const changed = new PriceTable();
    for (const credits of [8, 8, 9, 9, 9, 9]) changed.learn(image(1), credits);
    expect(changed.estimate(image(1))).toMatchObject({ low: 8, expected: 9, high: 9 });
    changed.learn(image(1), 9);
    expect(changed.estimate(image(1))).toMatchObject({ low: 9, expected: 9, high: 9 });
  });

  it('is news with the first task of its size, with each change, and once it is settled', () => {
    const seen = new PriceTable();
    const learn = (n: number, ...prices: number[]) => prices.map((credits) => seen.learn(image(n), credits));
    expect(learn(1, 8, 8, 8, 8, 8, 8)).toEqual([true, false, false, false, true, false]);
    expect(learn(1, 9, 9, 8)).toEqual([true, false, true]);
    expect(learn(2, 8)).toEqual([true]);
    expect(seen.list).toEqual([
      [
        image(1).kind,
        [
          [1, 8, 9, 8, 1],
          [2, 8, 8, 8, 1],
        ],
      ],
    ]);
  });

  it('is remembered of the 200 kinds and the 16 sizes of each that were bought last', () => {
    expect(new PriceTable().list).toEqual([]);
    const seen = new PriceTable();
    const kind = (number: number) => ({ kind: `kind ${number}`, volume: 1 });
    for (let number = 0; number < 200; number += 1) seen.learn(kind(number), 8);
    expect(seen.list).toHaveLength(200);
    seen.learn(kind(0), 8);
    seen.learn(kind(200), 8);
    expect(seen.list).toHaveLength(200);
    expect([0, 1, 2, 200].map((number) => seen.estimate(kind(number))?.expected)).toEqual([
      8,
      undefined,
      8,
      8,
    ]);

    const sizes = new PriceTable();
    for (let n = 1; n <= 16; n += 1) sizes.learn(image(n), n);
    sizes.learn(image(1), 1);
    sizes.learn(image(17), 17);
    const volumes = sizes.list.flatMap(([, of]) => of.map(([volume]) => volume));
    expect(volumes).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 17]);
    // The greatest bounds them all.
    for (let n = 1; n <= 16; n += 1) sizes.learn(speech(n), 1);
    for (let n = 20; n <= 40; n += 1) sizes.learn(speech(2 * n), 2);
    sizes.learn(speech(5_000), 100);
    for (let n = 20; n <= 40; n += 1) sizes.learn(speech(2 * n + 1), 2);
    expect(costOf(sizes.estimate(speech(5_000)))).toEqual({ price: 100 });
  });

  it('learns nothing of what was given back', () => {
    const seen = new PriceTable();
    expect(seen.learn(image(1), 0)).toBe(false);
    expect(seen.estimate(image(1))).toBeUndefined();
  });
});
