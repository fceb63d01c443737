import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller, type Json } from '../api-caller.ts';

let emulator: Emulator;
let api: ApiCaller;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 0, run: 0 } });
  api = new ApiCaller(emulator);
});
afterAll(() => emulator.close());

async function dataOf(model: string, input: object): Promise<Json> {
  return (await api.settled(await api.accepted(model, input))).data;
}

describe('the output of a task', () => {
  test('of a video names its kind, its count and prompt, and the first of its assets as the primary one', async () => {
    const data = await dataOf('video-k', { prompt: 'a fox', n: 3, seed: 7 });
    expect(data).toMatchObject({ type: 'video', n: 3, seed: 7, actual_prompt: 'a fox' });
    expect(data.videos).toHaveLength(3);
    expect(new Set(data.videos.map(({ url }: { url: string }) => url)).size).toBe(3);
    expect(data.video).toEqual(data.videos[0]);
    expect(data.video).toEqual({
      url: expect.stringMatching(/^http:.*\/output\.mp4$/),
      file_name: 'output.mp4',
      content_type: 'video/mp4',
      file_size: expect.any(Number),
      width: 16,
      height: 16,
      duration: 1,
    });
  });

  test('of an image names its kind, its count and prompt, and the first of its assets as the primary one', async () => {
    const data = await dataOf('image-l', { prompt: 'a fox', n: 2 });
    expect(data).toMatchObject({ type: 'image', n: 2, actual_prompt: 'a fox' });
    expect(data.images).toHaveLength(2);
    expect(data.image).toEqual(data.images[0]);
    expect(data.image).toEqual({
      url: expect.stringMatching(/^http:.*\/output\.png$/),
      file_name: 'output.png',
      content_type: 'image/png',
      width: 2,
      height: 2,
    });
  });

  test('has the seed that was asked for; with null or none it has one of its own, another for each task', async () => {
    const seedOf = async (more: object): Promise<unknown> =>
      (await dataOf('video-i', { prompt: 'a fox', ...more })).seed;
    expect([await seedOf({ seed: 7 }), await seedOf({ seed: 7 }), await seedOf({ seed: -7 })]).toEqual([
      7, 7, -7,
    ]);
    const drawn = [
      await seedOf({ seed: null }),
      await seedOf({ seed: null }),
      await seedOf({}),
      await seedOf({}),
    ];
    expect(drawn.every(Number.isSafeInteger)).toBe(true);
    expect(new Set(drawn).size).toBe(4);
  });
});

describe('a task that has ended', () => {
  test.each(['finish', 'fail', 'cancel'])('by %s stays as it is, whatever comes after', async (end) => {
    // By itself it would have ended before it is told to.
    const match = { promptIncludes: `until ${end}` };
    await api.control('POST /faults', { on: 'task', match, fault: { kind: 'hang' } });
    const id = await api.accepted('image-l', { prompt: `until ${end}` });
    await api.control(`POST /tasks/${id}/${end}`);
    const ended = await api.settled(id);
    expect(ended.status).toBe({ finish: 'COMPLETED', fail: 'FAILED', cancel: 'CANCELED' }[end]);
    for (const move of ['start', 'finish', 'fail', 'cancel'])
      expect([move, (await api.control(`POST /tasks/${id}/${move}`)).status]).toEqual([move, 409]);
    expect((await api.get(id)).body).toEqual(ended);
  });
});

test('an Idempotency-Key changes nothing: each accepted submit is a purchase', async () => {
  const headers = { 'idempotency-key': 'order-17' };
  const one = await api.accepted('image-l', { prompt: 'once' }, headers);
  const two = await api.accepted('image-l', { prompt: 'once' }, headers);
  expect(two).not.toBe(one);
});
