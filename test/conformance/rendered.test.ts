import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { GUESSES } from '../../emulator/src/assumptions.ts';
import { TINY_MEDIA } from '../../emulator/src/media/tiny-media.ts';
import { type Emulator, startEmulator } from '../../emulator/src/server.ts';
import type { Model } from '../../src/api/models/define-model.ts';
import { inputSchema } from '../../src/api/models/json-schema.ts';
import { MODELS } from '../../src/api/models/registry.ts';
import { generationSchema } from '../../src/api/records/generation-record.ts';
import { outputAssets } from '../../src/api/records/output-assets.ts';
import { ApiCaller } from '../emulator/api-caller.ts';
import { casesFor } from './cases.ts';

const files = createServer((request, response) => {
  const bytes = CONTENTS[request.url?.split('/').at(-1) ?? ''];
  response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
});
const CONTENTS: Record<string, Buffer> = {
  'video.mp4': TINY_MEDIA.video.bytes,
  'audio.mp3': TINY_MEDIA.audio.bytes,
};
let emulator: Emulator;

beforeAll(async () => {
  CONTENTS['image.png'] = await picture(384, 384);
  CONTENTS['small.png'] = await picture(384, 383);
  CONTENTS['wide.png'] = await picture(64, 32);
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  const small = { side: 'shortest', pixels: 36 } as const;
  const videos = { '360p': small, '720p': small, '768p': small, '1080p': small };
  emulator = await startEmulator({
    port: 0,
    speed: 1000,
    assumptions: { defaultOutputSeconds: 1, resolutions: { ...GUESSES.resolutions.usual, ...videos } },
  });
});
afterAll(async () => {
  await emulator.close();
  files.close();
});

function picture(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#468' } })
    .png()
    .toBuffer();
}

/** The URL of one of our files: of that name, or instead of an example's. */
function fileUrl(name: string): string {
  const { port } = files.address() as AddressInfo; // it listens on TCP
  return `http://127.0.0.1:${port}/${name.split('/').at(-1)}`;
}

/** Buys an input and waits for its record, which has to fit the contract. */
async function recordOf(
  model: Pick<Model, 'path'>,
  input: object,
): Promise<z.infer<typeof generationSchema>> {
  const api = new ApiCaller(emulator);
  const path = model.path.replace('generation/darkroom/', '');
  return generationSchema.parse(await api.settled(await api.accepted(path, input)));
}

async function bytesOf(url: string | undefined): Promise<Buffer> {
  return Buffer.from(await (await fetch(url ?? '')).arrayBuffer());
}

test.each(Object.values(MODELS).map((model) => [model.id, model] as const))(
  '%s renders its example into a real file of its kind',
  async (_id, model) => {
    const input = casesFor(model, fileUrl).find(({ name }) => name === 'example')?.input ?? {};
    const seconds = inputSchema(model).properties?.['duration'];
    const short = seconds === undefined ? {} : { duration: seconds.minimum ?? 1 };
    const { status, data } = await recordOf(model, { ...input, ...short });
    expect(status).toBe('COMPLETED');
    const [asset] = outputAssets(data);
    const { headers } = await fetch(asset?.url ?? '', { method: 'HEAD' });
    expect(headers.get('content-type')).toMatch(new RegExp(`^${model.output}/`));
    expect((await bytesOf(asset?.url)).subarray(0, 12).toString('latin1')).toMatch(MAGIC[model.output]);
  },
);

test('image-l makes as many images as asked for, in the shape of its first input image', async () => {
  const input = { prompt: 'x', n: 3, aspect_ratio: 'match_input_image', image_urls: [fileUrl('wide.png')] };
  const { data } = await recordOf(MODELS['image-l'], input);
  const sizes = await Promise.all(
    outputAssets(data).map(async ({ url, width, height }) => {
      const real = await sharp(await bytesOf(url)).metadata();
      expect([real.width, real.height]).toEqual([width, height]);
      return `${width}x${height}`;
    }),
  );
  expect(sizes).toEqual(['1024x512', '1024x512', '1024x512']);
});

test.each([
  ['image-m', 'jpeg', 'jpeg'],
  ['image-n', 'webp', 'webp'],
  ['image-o', 'jpg', 'jpeg'],
  ['image-r', 'png', 'png'],
] as const)('%s makes a %s', async (id, output_format, format) => {
  const { data } = await recordOf(MODELS[id], { prompt: 'x', output_format });
  const [asset] = outputAssets(data);
  const real = await sharp(await bytesOf(asset?.url)).metadata();
  expect([asset?.contentType, real.format]).toEqual([`image/${format}`, format]);
});

test('image-s makes five images from text', async () => {
  const { data } = await recordOf(MODELS['image-s'], { prompt: 'x', num_images: 5 });
  expect(outputAssets(data)).toHaveLength(5);
});

test('image-s fails for a reference image below 384 pixels, and edits one that is large enough', async () => {
  const edit = (image: string) => recordOf(MODELS['image-s'], { prompt: 'x', image_urls: [fileUrl(image)] });
  expect(await edit('small.png')).toMatchObject({ status: 'FAILED', code: 'IMAGE_GENERATION_INVALID_INPUT' });
  expect(await edit('image.png')).toMatchObject({ status: 'COMPLETED' });
});

test('speech-b has timestamps for each word when they are asked for', async () => {
  const speak = async (more: object) =>
    (await recordOf(MODELS['speech-b'], { text: 'one two', ...more })).data;
  const words = [{ word: 'one' }, { word: 'two' }];
  expect(await speak({ timestamps: true })).toMatchObject({ timestamps: words });
  expect(await speak({})).not.toHaveProperty('timestamps');
});

/** How files of a kind begin: PNG, MP4, WAV or MP4. */
const MAGIC = { image: /^.PNG/, video: /^.{4}ftyp/s, audio: /^RIFF|^.{4}ftyp/s } as const;
