import { describe, expect, test } from 'vitest';
import { parseFields } from '../../../src/starter/request/parse-fields.ts';

describe('parseFields', () => {
  test.each([
    ['text, whatever it looks like', 'image-r', ['prompt=42'], { prompt: '42' }],
    ['text with more = in it', 'image-r', ['prompt=a=b'], { prompt: 'a=b' }],
    ['text of several lines', 'image-r', ['prompt=a\nb'], { prompt: 'a\nb' }],
    ['integers', 'image-r', ['seed=-7', 'n=2'], { seed: -7, n: 2 }],
    ['numbers', 'upscale-q', ['upscale_factor=1.5'], { upscale_factor: 1.5 }],
    ['booleans', 'video-e', ['prompt_optimizer=true'], { prompt_optimizer: true }],
    ['a list from one value', 'image-l', ['image_urls=http://a/1.png'], { image_urls: ['http://a/1.png'] }],
    [
      'a list by repeating',
      'image-l',
      ['image_urls=http://a/1', 'image_urls=http://a/2'],
      { image_urls: ['http://a/1', 'http://a/2'] },
    ],
    [
      'a list as JSON',
      'image-l',
      ['image_urls=["http://a/1","http://a/2"]'],
      { image_urls: ['http://a/1', 'http://a/2'] },
    ],
    ['null where it is allowed', 'video-i', ['seed=null'], { seed: null }],
    ['what does not fit as text, for the check to name', 'image-l', ['n=two'], { n: 'two' }],
    ['unknown fields as text', 'image-l', ['sed=1'], { sed: '1' }],
  ])('reads %s', (_, model, fields, input) => {
    expect(parseFields(model, fields)).toEqual(input);
  });

  test('refuses a field that is no list given twice', () => {
    expect(() => parseFields('image-r', ['prompt=a', 'prompt=b'])).toThrow('prompt is given 2 times');
  });
});
