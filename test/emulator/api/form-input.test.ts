import { expect, test } from 'vitest';
import { formInput } from '../../../emulator/src/api/form-input.ts';
import { ModelRoutes } from '../../../emulator/src/api/model-routes.ts';

const routes = new ModelRoutes({ 'image-o': { fields: { n: 'count' } } });

async function read(model: string, fields: readonly (readonly [string, string | File])[]): Promise<unknown> {
  const offered = routes.get(model);
  if (offered === undefined) throw new Error(`no model ${model}`);
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const sent = new Response(form);
  const contentType = sent.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await sent.arrayBuffer());
  return await formInput(offered, bytes, contentType, async (file) => `stored ${file.name}`);
}

test.each<[string, readonly (readonly [string, string])[], object]>([
  [
    'image-l',
    [
      ['prompt', '5'],
      ['n', '2'],
    ],
    { prompt: '5', n: 2 },
  ],
  ['image-l', [['image_urls', 'https://a.b/c']], { image_urls: ['https://a.b/c'] }],
  ['image-l', [['image_urls[]', 'https://a.b/c']], { image_urls: ['https://a.b/c'] }],
  ['image-l', [['image_urls', '["https://a.b/c"]']], { image_urls: ['https://a.b/c'] }],
  [
    'image-l',
    [
      ['image_urls', 'https://a.b/c'],
      ['image_urls', 'https://a.b/d'],
    ],
    { image_urls: ['https://a.b/c', 'https://a.b/d'] },
  ],
  // Nothing that the field takes: the validation says so.
  [
    'image-l',
    [
      ['n', '2'],
      ['n', '3'],
    ],
    { n: ['2', '3'] },
  ],
  [
    'image-l',
    [
      ['prompt', 'a'],
      ['prompt', 'b'],
    ],
    { prompt: ['a', 'b'] },
  ],
  [
    'image-l',
    [
      ['n', 'two'],
      ['other', '5'],
      ['a[]b', '6'],
    ],
    { n: 'two', other: '5', 'a[]b': '6' },
  ],
  [
    'image-l',
    [
      ['other', 'a'],
      ['other', 'b'],
    ],
    { other: ['a', 'b'] },
  ],
  [
    'image-o',
    [
      ['count', '2'],
      ['n', '3'],
    ],
    { count: 2, n: 3 },
  ],
])('a form of %s with %j is %j', async (model, fields, input) => {
  expect(await read(model, fields)).toEqual(input);
});

test('a file of a form is the URL that it is stored under', async () => {
  const file = new File([], 'a.png');
  expect(
    await read('image-l', [
      ['prompt', file],
      ['image_urls', file],
    ]),
  ).toEqual({
    prompt: 'stored a.png',
    image_urls: 'stored a.png',
  });
});

test('what is no form is refused as such', async () => {
  const offered = routes.get('image-l');
  if (offered === undefined) throw new Error('no such model');
  await expect(
    formInput(offered, Buffer.from('x'), 'multipart/form-data; boundary=y', async () => ''),
  ).rejects.toThrow(TypeError);
});
