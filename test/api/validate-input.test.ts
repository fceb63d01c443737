import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputMistakes, validateInput } from '../../src/api/input/validate-input.ts';
import { MODEL_IDS } from '../../src/api/models/registry.ts';

const message = (model: string, input: unknown, path: string) =>
  validateInput(model, input).find((error) => error.path === path)?.message;

describe('validateInput', () => {
  it('names an unknown model, the one that was probably meant, and all there are', () => {
    expect(validateInput('image-1', {})).toEqual([
      {
        path: 'model',
        message: `image-1 is not a model; did you mean image-l? Models: ${MODEL_IDS.join(', ')}`,
      },
    ]);
    expect(validateInput('Upscale', {})[0]?.message).toContain('did you mean upscale-q?');
    expect(validateInput('constructor', {})[0]?.message).toMatch(/^constructor is not a model\. Models: /);
  });

  it.each([
    ['aspectRatio', 'did you mean aspect_ratio?'],
    ['aspect-ratio', 'did you mean aspect_ratio?'],
    ['promt', 'did you mean prompt?'],
    ['image_url', 'did you mean image_urls?'],
    ['steps', 'is not a field of image-l. Fields: prompt, aspect_ratio, resolution, image_urls, n'],
  ])('refuses the unknown field %s and says %s', (name, part) => {
    expect(message('image-l', { prompt: 'x', [name]: 1 }, `input.${name}`)).toContain(part);
  });

  it('says of each wrong value what is allowed and what came', () => {
    const input = { prompt: 7, resolution: '8K', n: 5, image_urls: ['https://a.example/1.png', 'x'] };
    expect(validateInput('image-l', input)).toEqual([
      { path: 'input.prompt', message: 'must be a string; got 7' },
      { path: 'input.resolution', message: 'must be one of 1K, 2K, 4K; got "8K"' },
      { path: 'input.image_urls.1', message: 'must be an http(s) URL; got "x"' },
      { path: 'input.n', message: 'must be an integer from 1 to 4; got 5' },
    ]);
    expect(message('speech-b', {}, 'input.text')).toBe('is required: a string of 1 to 5000 characters');
  });

  it('reports a broken rule beside fields that are wrong in themselves', () => {
    const paths = validateInput('image-s', {
      prompt: '',
      image_urls: ['http://a.example'],
      num_images: 5,
      n: 1.5,
    });
    expect(paths.map(({ path }) => path)).toEqual(['input.prompt', 'input.n', 'input.num_images']);
  });

  it('takes loopback URLs', () => {
    expect(validateInput('upscale-q', { image_url: 'http://127.0.0.1:4010/a.png' })).toEqual([]);
  });

  it('passes unknown fields when the override says so, but never under the wire name of another', () => {
    const override = { fields: { seed: 'random_seed' }, passUnknown: true };
    expect(validateInput('image-r', { prompt: 'x', steps: 20, seed: 1 }, override)).toEqual([]);
    expect(validateInput('image-r', { prompt: 'x', random_seed: 1 }, override)).toEqual([
      { path: 'input.random_seed', message: "is seed's name on the wire; write seed" },
    ]);
    expect(validateInput('image-r', JSON.parse('{"prompt":"x","__proto__":{}}'), override)).toHaveLength(1);
  });

  it('refuses names from the prototype like any other unknown field', () => {
    const input: unknown = JSON.parse(
      '{"prompt":"x","__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":4}',
    );
    expect(validateInput('image-l', input)).toHaveLength(4);
    expect(validateInput('image-l', Object.create({ prompt: 'inherited' }))).toEqual([
      { path: 'input.prompt', message: 'is required: a string' },
    ]);
  });

  it('says of what is no input or no model what came instead', () => {
    const said = (model: unknown, input: unknown) => validateInput(model as string, input); // as strangers may call it
    expect(said('image-l', 'a fox')).toEqual([
      { path: 'input', message: 'must be an object with image-l\'s fields; got "a fox"' },
    ]);
    expect(said('image-l', [])).toEqual([
      { path: 'input', message: "must be an object with image-l's fields; got a list of 0" },
    ]);
    expect(said(7, {})[0]?.message).toMatch(/^7 is not a model[.] Models: /);
    expect(said(['image-l'], {})[0]?.path).toBe('model');
    const trap = Object.defineProperty({}, 'prompt', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(said('image-l', trap)).toEqual([
      { path: 'input', message: 'must be plain data; reading it failed' },
    ]);
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, n]));
    expect(said('image-l', { prompt: 'x', ...many }).at(-1)).toEqual({
      path: 'input',
      message: 'has 10 more mistakes',
    });
  });

  it('says of a wrong value within a list what came, and of a name that cannot be sent that it is none', () => {
    expect(message('image-l', { prompt: 'x', image_urls: [7] }, 'input.image_urls.0')).toBe(
      'must be an http(s) URL; got 7',
    );
    expect(message('image-l', { prompt: 'x', image_urls: 'x' }, 'input.image_urls')).toMatch(
      /^must be a list .+; got "x"$/,
    );
    const proto: unknown = JSON.parse('{"prompt":"x","__proto__":1}');
    expect(message('image-l', proto, 'input.__proto__')).toBe('is not a field name that can be sent');
  });

  it('treats undefined as left out', () => {
    expect(validateInput('image-l', { prompt: 'x', n: undefined, steps: undefined })).toEqual([]);
  });

  it('lists a bounded number of mistakes and repeats no long text', () => {
    const long = 'secret'.repeat(20);
    const input = { prompt: 'x', image_urls: Array<string>(20_000).fill(long), [long]: 1, n: long };
    const errors = validateInput('image-r', input);
    expect(errors.length).toBe(51);
    expect(JSON.stringify(errors)).not.toContain(long.slice(0, 61));
  });

  it('returns an error for an input that throws when it is read', () => {
    const trap = {
      get prompt(): string {
        throw new Error('no');
      },
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect([trap, proxy].map((input) => validateInput('image-l', input).length)).toEqual([1, 1]);
    expect(inputMistakes('image-l', trap, {}, 'caller')).toHaveLength(1);
  });

  it('never throws, whatever it gets', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      maxDepth: 6,
    });
    const property = fc.property(fc.constantFrom(...MODEL_IDS, 'nope'), anything, (model, input) => {
      for (const error of validateInput(model, input)) {
        expect(typeof error.path).toBe('string');
        expect(error.message).not.toBe('');
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});
