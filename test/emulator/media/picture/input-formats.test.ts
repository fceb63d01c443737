import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../../emulator/src/server.ts';
import { ApiCaller } from '../../api-caller.ts';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ port: 0, speed: 1000 });
});
afterAll(() => emulator.close());

const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
);

/** How a task ends whose input picture is in that format. */
async function endWith(picture: Buffer, type: string): Promise<unknown> {
  const form = new FormData();
  form.set('prompt', 'a fox');
  form.append('image_urls', new File([new Uint8Array(picture)], `input.${type}`, { type: `image/${type}` }));
  const response = await fetch(`${emulator.baseUrl}/generation/darkroom/image-l`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    body: form,
  });
  const { id } = (await response.json()) as { id: string }; // an accepted record
  const { status, code } = await new ApiCaller(emulator).settled(id);
  return [status, code];
}

test.each(['jpeg', 'png', 'gif', 'webp'] as const)('image-l takes a picture in %s', async (format) => {
  const picture = await sharp(SVG).toFormat(format).toBuffer();
  expect(await endWith(picture, format)).toEqual(['COMPLETED', undefined]);
});

test.each(['tiff', 'avif'] as const)('image-l takes no picture in %s', async (format) => {
  const picture = await sharp(SVG).toFormat(format).toBuffer();
  expect(await endWith(picture, format)).toEqual(['FAILED', 'IMAGE_GENERATION_INVALID_INPUT']);
});

test('image-l takes no drawing', async () => {
  expect(await endWith(SVG, 'svg+xml')).toEqual(['FAILED', 'IMAGE_GENERATION_INVALID_INPUT']);
});
