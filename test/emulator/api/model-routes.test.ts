import { expect, test } from 'vitest';
import { inOurNames, ModelRoutes, renamedAway } from '../../../emulator/src/api/model-routes.ts';

const routes = new ModelRoutes({
  'image-l': {
    path: 'generation/acme/pictures:v2',
    fields: { prompt: 'words', n: 'count', aspect_ratio: 'resolution', resolution: 'size' },
  },
});

test.each([
  ['generation/darkroom/image-o', 'image-o'],
  ['generation/darkroom/image-o:1', undefined],
  ['generation/darkroom/face-swap-c:9f_a.b-c', 'face-swap-c'],
  ['generation/darkroom/face-swap-c', undefined],
  ['generation/darkroom/face-swap-c:', undefined],
  ['generation/darkroom/face-swap-c:$1', undefined],
  ['generation/darkroom/face-swap-c:1$', undefined],
  ['generation/acme/pictures:v3', 'image-l'],
  ['generation/acme/pictures', undefined],
  ['generation/darkroom/image-l', undefined],
  ['', undefined],
])('the path %j is that of %j', (path, id) => {
  expect(routes.find(path)?.id).toBe(id);
});

test('fields sent under the contract’s name count only where that is their name here', () => {
  const imageL = routes.get('image-l');
  const imageO = routes.get('image-o');
  if (imageL === undefined || imageO === undefined) throw new Error('no such model');
  const sent = { words: 'a', prompt: 'b', n: 2, resolution: '16:9', size: '1K', more: 1 };
  expect(renamedAway(imageL, sent)).toEqual(['prompt', 'n']);
  expect(inOurNames(imageL, sent)).toEqual({ prompt: 'a', aspect_ratio: '16:9', resolution: '1K', more: 1 });
  expect(inOurNames(imageL, { prompt: 'b' })).toEqual({});
  expect(renamedAway(imageO, sent)).toEqual([]);
  expect(inOurNames(imageO, sent)).toEqual(sent);
});
