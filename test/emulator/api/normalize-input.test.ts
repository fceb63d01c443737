import { describe, expect, test } from 'vitest';
import { ModelRoutes, type OfferedModel } from '../../../emulator/src/api/model-routes.ts';
import { normalizeInput } from '../../../emulator/src/api/normalize-input.ts';
import type { ModelOverride } from '../../../src/api/models/override.ts';

const URL = 'https://example.com/a.png';

function offered(id: string, override: ModelOverride = {}): OfferedModel {
  const model = new ModelRoutes({ [id]: override }).get(id);
  if (model === undefined) throw new Error(`no model ${id}`);
  return model;
}

describe('a valid input', () => {
  test.each<[string, ModelOverride, object, object, object]>([
    ['upscale-q', {}, { image_url: URL }, {}, { image_url: URL, upscale_factor: 2, n: 1 }],
    [
      'upscale-q',
      { fields: { upscale_factor: 'factor', n: 'count' } },
      { image_url: URL },
      {},
      { image_url: URL, factor: 2, count: 1 },
    ],
    [
      'upscale-q',
      { fields: { upscale_factor: 'factor', n: 'count' } },
      { image_url: URL, factor: 3, count: 2 },
      { factor: 4 },
      { image_url: URL, factor: 3, count: 2 },
    ],
    ['upscale-q', {}, { image_url: URL }, { upscale_factor: 4 }, { image_url: URL, upscale_factor: 4, n: 1 }],
    ['image-l', {}, { prompt: 'x' }, { resolution: '2K', n: 3 }, { prompt: 'x', resolution: '2K', n: 3 }],
    ['image-l', {}, { prompt: 'x', n: 2 }, { prompt: 'y', n: 3 }, { prompt: 'x', n: 2 }],
    ['speech-b', {}, { text: 'x' }, {}, { text: 'x' }],
    ['image-l', { passUnknown: true }, { prompt: 'x', more: 1 }, {}, { prompt: 'x', more: 1, n: 1 }],
    [
      'image-l',
      { passUnknown: true, fields: { prompt: 'words' } },
      { words: 'x', prompt: 5 },
      {},
      { words: 'x', prompt: 5, n: 1 },
    ],
  ])('of %s as %j: %j with %j is completed', (id, override, sent, defaults, input) => {
    const before = { ...sent };
    expect(normalizeInput(offered(id, override), { ...sent }, { ...defaults })).toEqual({
      kind: 'valid',
      input,
    });
    expect(sent).toEqual(before);
  });
});

describe('an invalid input', () => {
  test.each<[string, ModelOverride, object, object[]]>([
    [
      'image-l',
      {},
      { prompt: 'x', image_urls: [URL, 'nowhere'], foo: 1 },
      [
        { path: 'foo', message: expect.any(String), code: 'unrecognized_keys' },
        { path: 'image_urls.1', message: expect.any(String), code: 'invalid_format' },
      ],
    ],
    [
      'image-l',
      { fields: { prompt: 'words', n: 'count', image_urls: 'pictures' } },
      { prompt: 'x', words: 5, count: 9, pictures: [5] },
      [
        { path: 'prompt', message: 'prompt is not a field of image-l', code: 'unrecognized_keys' },
        { path: 'words', message: expect.any(String), code: 'invalid_type' },
        { path: 'pictures.0', message: expect.any(String), code: 'invalid_type' },
        { path: 'count', message: expect.any(String), code: 'too_big' },
      ],
    ],
    [
      'video-k',
      {},
      { prompt: 'x', mode: 'text-image', last_frame_url: URL },
      [{ path: 'last_frame_url', message: expect.any(String), code: 'custom' }],
    ],
    [
      'image-l',
      { passUnknown: true },
      { prompt: 5, more: 1 },
      [{ path: 'prompt', message: expect.any(String), code: 'invalid_type' }],
    ],
  ])('of %s as %j: %j is refused field by field', (id, override, sent, errors) => {
    expect(normalizeInput(offered(id, override), { ...sent })).toEqual({ kind: 'invalid', errors });
  });
});
