import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';

let emulator: Emulator;
let api: ApiCaller;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, speed: 1000 });
  api = new ApiCaller(emulator);
});
afterAll(() => emulator.close());

async function bytesOf(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

test('an image is upscaled from its URL, and rendering counts towards the task, not on top of it', async () => {
  const image = await api.settled(await api.accepted('image-l', { prompt: 'a fox', aspect_ratio: '16:9' }));
  const upscaled = await api.settled(await api.accepted('upscale-q', { image_url: image.data.image.url }));
  const sizes = await Promise.all(
    [image, upscaled].map(async ({ data }) => {
      const { width, height } = await sharp(await bytesOf(data.image.url)).metadata();
      expect([data.image.width, data.image.height]).toEqual([width, height]);
      return [width, height];
    }),
  );
  expect(sizes[1]).toEqual(sizes[0]?.map((side) => side * 2));
});

test('a file has its type, an ETag and byte ranges', async () => {
  const { data } = await api.settled(await api.accepted('image-l', { prompt: 'ranges', n: 2 }));
  const whole = await bytesOf(data.images[1].url);
  const { headers } = await fetch(data.images[1].url, { method: 'HEAD' });
  expect([headers.get('content-type'), Number(headers.get('content-length'))]).toEqual([
    'image/png',
    whole.length,
  ]);
  const partOf = async (range: string) => {
    const response = await fetch(data.images[1].url, { headers: { range } });
    return [
      response.status,
      response.headers.get('content-range'),
      Buffer.from(await response.arrayBuffer()),
    ] as const;
  };
  const size = whole.length;
  expect(await partOf('bytes=0-3')).toEqual([206, `bytes 0-3/${size}`, whole.subarray(0, 4)]);
  expect(await partOf(`bytes=${size - 2}-`)).toEqual([
    206,
    `bytes ${size - 2}-${size - 1}/${size}`,
    whole.subarray(-2),
  ]);
  expect(await partOf('bytes=-5')).toEqual([
    206,
    `bytes ${size - 5}-${size - 1}/${size}`,
    whole.subarray(-5),
  ]);
  expect((await partOf(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`]);
  expect((await partOf('lines=1-2'))[0]).toBe(200);
  const etag = headers.get('etag') ?? '';
  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(data.images[1].url, { headers })).status;
  for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
    expect(await statusWith({ 'if-none-match': known })).toBe(304);
  }
  expect(await statusWith({ 'if-none-match': '"another"' })).toBe(200);
  // A range of another file than the one that was begun would be put together with it.
  expect(await statusWith({ range: 'bytes=0-3', 'if-range': etag })).toBe(206);
  expect(await statusWith({ range: 'bytes=0-3', 'if-range': '"another"' })).toBe(200);
  expect((await fetch(`${emulator.url}/files/nope/0/x.png`)).status).toBe(404);
  expect((await fetch(`${emulator.url}/files/../../etc/passwd`)).status).toBe(404);
});

test('a task whose input cannot be fetched or read fails with an invalid input', async () => {
  const unreachable = await api.accepted('upscale-q', { image_url: 'http://127.0.0.1:9/x.png' });
  const unreadable = await api.accepted('upscale-q', { image_url: `${emulator.controlUrl}/state` });
  for (const id of [unreachable, unreadable]) {
    expect(await api.settled(id)).toMatchObject({
      status: 'FAILED',
      code: 'IMAGE_GENERATION_INVALID_INPUT',
      data: null,
    });
  }
});
