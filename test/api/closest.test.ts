import { describe, expect, it } from 'vitest';
import { byDistance, closest } from '../../src/api/text/closest.ts';

const FIELDS = ['prompt', 'aspect_ratio', 'image_urls', 'seed', 'n'];

describe('the name that was meant', () => {
  it.each([
    ['promt', 'prompt'],
    ['aspectRatio', 'aspect_ratio'],
    ['ASPECT-RATIO', 'aspect_ratio'],
    ['sede', undefined],
    ['sed', 'seed'],
    ['m', 'n'],
    ['xy', undefined],
    ['imageurl', 'image_urls'],
    // A third of its letters may be wrong, and not more.
    ['xyompt', 'prompt'],
    ['xyzmpt', undefined],
    ['', undefined],
    ['!?', undefined],
  ])('for %j is %j', (word, meant) => {
    expect(closest(word, FIELDS)).toBe(meant);
  });

  it('has a common beginning of three letters at least, from either side', () => {
    expect(closest('upscale', ['image-l', 'upscale-quick'])).toBe('upscale-quick');
    expect(closest('upscale-quickly', ['image-l', 'ups'])).toBe('ups');
    expect(closest('ups', ['image-l', 'upscale-quick'])).toBe('upscale-quick');
    expect(closest('up', ['image-l', 'upscale-quick'])).toBeUndefined();
    expect(closest('upscale-quick', ['image-l', 'up'])).toBeUndefined();
    expect(closest('quick', ['image-l', 'upscale-quick'])).toBeUndefined();
    expect(closest('upscale-quick', ['image-l', 'quick'])).toBeUndefined();
  });

  it('is not looked for where the word is longer than a name', () => {
    const name = 'x'.repeat(60);
    expect(closest(name, [name])).toBe(name);
    expect(closest(`${name}x`, [`${name}x`])).toBeUndefined();
    expect(closest('a', [])).toBeUndefined();
  });
});

describe('names in the order of their likeness', () => {
  it('begin with the nearest', () => {
    expect(byDistance('sede', FIELDS)[0]).toBe('seed');
    expect(byDistance('Aspect Ratio', FIELDS)[0]).toBe('aspect_ratio');
    const sixty = 'x'.repeat(60);
    expect(byDistance(sixty, ['prompt', `${sixty}y`, sixty])).toEqual([sixty, `${sixty}y`, 'prompt']);
  });

  it('stay in their own order where there is nothing to compare', () => {
    for (const word of ['', '?!', 'image_urls'.repeat(7)]) expect(byDistance(word, FIELDS)).toEqual(FIELDS);
  });
});
