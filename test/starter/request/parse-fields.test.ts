import { describe, expect, test } from 'vitest';
import { LocalFile } from '../../../src/contract/file-input.ts';
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
    ['what is JSON of another type as text', 'image-l', ['n=true'], { n: 'true' }],
    [
      'a number for a field of yes or no as text',
      'video-e',
      ['prompt_optimizer=1'],
      { prompt_optimizer: '1' },
    ],
    ['null where it is not allowed as text', 'image-r', ['prompt=null'], { prompt: 'null' }],
    [
      'a list as JSON behind spaces',
      'image-l',
      ['image_urls= ["http://a/1"]'],
      { image_urls: ['http://a/1'] },
    ],
    ['what is no whole list as one value', 'image-l', ['image_urls=[http'], { image_urls: ['[http'] }],
    ['an empty text', 'image-r', ['prompt='], { prompt: '' }],
    ['fields of an unknown model as text', 'image-x', ['n=1'], { n: '1' }],
    ['unknown fields as text', 'image-l', ['sed=1'], { sed: '1' }],
  ])('reads %s', (_, model, fields, input) => {
    expect(parseFields(model, fields)).toEqual(input);
  });

  test.each(['prompt', '=a'])('refuses %j, which names no field or no value', (argument) => {
    expect(() => parseFields('image-r', [argument])).toThrow(
      `"${argument}" is not field=value, as in:\n  npm run starter -- generate image-l prompt="a red fox in snow"`,
    );
  });

  test('refuses a file that is not there, and takes one that is', () => {
    expect(() => parseFields('image-l', ['image_urls=@no-such.png'])).toThrow(
      'image_urls=@no-such.png: there is no file no-such.png',
    );
    expect(() => parseFields('image-l', ['image_urls=@test'])).toThrow('there is no file test');
    const { image_urls: files } = parseFields('image-l', ['image_urls=@package.json']);
    expect(files).toEqual([new LocalFile('package.json')]);
    expect(parseFields('image-l', ['prompt=@package.json'])).toEqual({ prompt: '@package.json' });
  });

  test('refuses a field that is no list given twice', () => {
    expect(() => parseFields('image-r', ['prompt=a', 'prompt=b'])).toThrow('prompt is given 2 times');
  });
});
