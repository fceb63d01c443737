import { describe, expect, test } from 'vitest';
import { formInput } from '../../../emulator/src/api/form-input.ts';
import { ModelRoutes, type OfferedModel } from '../../../emulator/src/api/model-routes.ts';
import { normalizeInput } from '../../../emulator/src/api/normalize-input.ts';
import type { ModelOverride } from '../../../src/api/models/override.ts';

const URL_A = 'https://example.com/a.png';
const RENAMED = { fields: { prompt: 'words', n: 'count' } };

function offered(id: string, override: ModelOverride = {}): OfferedModel {
  const found = new ModelRoutes({ [id]: override }).get(id);
  if (found === undefined) throw new Error(`no model ${id}`);
  return found;
}

describe('an input is completed', () => {
  test.each<[string, OfferedModel, object, object, object]>([
    [
      'with the number of results and the model’s defaults',
      offered('upscale-q'),
      { image_url: URL_A },
      {},
      { image_url: URL_A, upscale_factor: 2, n: 1 },
    ],
    [
      'where nothing was sent for a field alone',
      offered('upscale-q'),
      { image_url: URL_A, upscale_factor: 4, n: 3 },
      { upscale_factor: 8, n: 2 },
      { image_url: URL_A, upscale_factor: 4, n: 3 },
    ],
    [
      'with the service’s defaults, which count for more than the model’s',
      offered('upscale-q'),
      { image_url: URL_A },
      { upscale_factor: 8, n: 2, note: 'x' },
      { image_url: URL_A, upscale_factor: 8, n: 2, note: 'x' },
    ],
    [
      'without a number of results where the model has none',
      offered('face-swap-c'),
      { input_image: URL_A, swap_image: URL_A },
      {},
      { input_image: URL_A, swap_image: URL_A },
    ],
    [
      'under the names on the wire',
      offered('image-l', RENAMED),
      { words: 'x' },
      {},
      { words: 'x', count: 1 },
    ],
    [
      'under the names on the wire, also by the model’s own defaults',
      offered('upscale-q', { fields: { upscale_factor: 'scale' } }),
      { image_url: URL_A },
      {},
      { image_url: URL_A, scale: 2, n: 1 },
    ],
    [
      'beside fields that are only passed on',
      offered('image-l', { ...RENAMED, passUnknown: true }),
      { words: 'x', prompt: 'y', style: { of: 'z' } },
      {},
      { words: 'x', prompt: 'y', style: { of: 'z' }, count: 1 },
    ],
  ])('%s', (_how, model, sent, defaults, input) => {
    expect(normalizeInput(model, { ...sent }, { ...defaults })).toEqual({ kind: 'valid', input });
  });
});

describe('an input is refused field by field, each with its path on the wire, what is wrong, and a code', () => {
  const message = expect.stringMatching(/./) as string;
  test.each<[string, OfferedModel, object, [path: string, code: string, message: string][]]>([
    [
      'a wrong value',
      offered('image-l'),
      { prompt: 5, n: 9 },
      [
        ['n', 'too_big', message],
        ['prompt', 'invalid_type', message],
      ],
    ],
    [
      'a wrong value in a list',
      offered('image-l', { fields: { image_urls: 'pictures' } }),
      { prompt: 'x', pictures: [URL_A, 'nowhere'] },
      [['pictures.1', 'invalid_format', expect.stringContaining('nowhere') as string]],
    ],
    [
      'an unknown field',
      offered('image-l'),
      { prompt: 'x', style: 'y' },
      [['style', 'unrecognized_keys', message]],
    ],
    [
      'a field under a name that it does not have here',
      offered('image-l', RENAMED),
      { words: 'x', prompt: 'y', n: 2 },
      [
        ['n', 'unrecognized_keys', 'n is not a field of image-l'],
        ['prompt', 'unrecognized_keys', 'prompt is not a field of image-l'],
      ],
    ],
    [
      'a field under a name of the wire that is wrong',
      offered('image-l', RENAMED),
      { words: 5 },
      [['words', 'invalid_type', message]],
    ],
    [
      'what a rule between fields forbids',
      offered('image-s'),
      { prompt: 'x', image_urls: [URL_A], num_images: 5 },
      [['num_images', 'custom', message]],
    ],
  ])('%s', (_what, model, sent, mistakes) => {
    const normalized = normalizeInput(model, { ...sent });
    const errors = normalized.kind === 'invalid' ? normalized.errors : [];
    expect(errors.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
      mistakes.map(([path, code, message]) => ({ path, message, code })),
    );
  });
});

describe('a form’s fields become', () => {
  test.each<[string, OfferedModel, [string, string][], object]>([
    ['the text that they are', offered('image-l'), [['prompt', '12']], { prompt: '12' }],
    ['numbers', offered('image-l'), [['n', '2']], { n: 2 }],
    [
      'the fields of other names',
      offered('image-l', RENAMED),
      [
        ['words', '12'],
        ['count', '2'],
      ],
      { words: '12', count: 2 },
    ],
    ['lists of one', offered('image-l'), [['image_urls', URL_A]], { image_urls: [URL_A] }],
    [
      'lists by a name that ends in []',
      offered('image-l'),
      [['image_urls[]', URL_A]],
      { image_urls: [URL_A] },
    ],
    [
      'lists where a name is repeated',
      offered('image-l'),
      [
        ['image_urls', URL_A],
        ['image_urls', `${URL_A}?2`],
      ],
      { image_urls: [URL_A, `${URL_A}?2`] },
    ],
    [
      'lists that are written as JSON',
      offered('image-l'),
      [['image_urls', `["${URL_A}"]`]],
      { image_urls: [URL_A] },
    ],
    [
      'texts where no reading is right',
      offered('image-l'),
      [
        ['n', 'many'],
        ['resolution', '8K'],
      ],
      { n: 'many', resolution: '8K' },
    ],
    [
      'lists of texts where no reading is right',
      offered('image-l'),
      [
        ['n', '1'],
        ['n', '2'],
        ['prompt', 'x'],
        ['prompt', 'y'],
      ],
      { n: ['1', '2'], prompt: ['x', 'y'] },
    ],
    ['what they are called by', offered('image-l'), [['a[]b', '5']], { 'a[]b': '5' }],
    ['texts where they are unknown', offered('image-l'), [['toString', '5']], { toString: '5' }],
  ])('%s', async (_what, model, fields, input) => {
    const form = new FormData();
    for (const [name, value] of fields) form.append(name, value);
    const { contentType, bytes } = await encoded(form);
    expect(
      await formInput(model, bytes, contentType, () => Promise.reject(new Error('no file was sent'))),
    ).toEqual(input);
  });

  test('URLs where they are files', async () => {
    const form = new FormData();
    form.append('image_urls', new File(['1'], 'one.png'));
    form.append('image_urls', URL_A);
    const { contentType, bytes } = await encoded(form);
    const upload = (file: File): Promise<string> => Promise.resolve(`https://example.com/${file.name}`);
    expect(await formInput(offered('image-l'), bytes, contentType, upload)).toEqual({
      image_urls: ['https://example.com/one.png', URL_A],
    });
  });
});

async function encoded(form: FormData): Promise<{ bytes: Buffer; contentType: string }> {
  const response = new Response(form);
  const contentType = response.headers.get('content-type') ?? '';
  return { contentType, bytes: Buffer.from(await response.arrayBuffer()) };
}
