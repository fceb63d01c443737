import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller, type Json } from '../api-caller.ts';
import { until } from '../until.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';

let emulator: Emulator;
let api: ApiCaller;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 25, run: 25 } });
  api = new ApiCaller(emulator);
});
afterAll(async () => {
  await emulator.close();
  await receiver[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await api.control('POST /reset');
  receiver.received.length = 0;
  await api.control('POST /endpoints', { workspace: 'default', url: receiver.url });
});

/** The payload's prediction in an event of a task, once that has come in. */
async function told(id: string, type: string): Promise<Json> {
  const found = () => receiver.of(id).find(({ payload }) => payload.event === type)?.payload;
  return (await until(found, `${type} of ${id}`)).prediction;
}

const file = (id: string, index: number, name: string) => `${emulator.url}/files/${id}/${index}/${name}`;

test('a video’s record has each of its fields, and its first video as the primary asset', async () => {
  const id = await api.accepted('video-f', {
    prompt: 'waves',
    first_frame_url: 'https://example.com/a.png',
    seed: 7,
    n: 2,
  });
  const { data, ...record } = await api.settled(id);
  expect(record).toEqual({
    id,
    status: 'COMPLETED',
    input: { prompt: 'waves', first_frame_url: 'https://example.com/a.png', seed: 7, n: 2 },
    usage: expect.any(Object) as object,
  });
  const { videos, video, ...rest } = data;
  expect(rest).toEqual({ type: 'video', n: 2, seed: 7, actual_prompt: 'waves' });
  expect(videos).toHaveLength(2);
  for (const [index, one] of videos.entries()) {
    expect(one).toEqual({
      url: file(id, index, one.file_name),
      file_name: expect.stringMatching(/[.]mp4$/) as string,
      content_type: 'video/mp4',
      file_size: expect.any(Number) as number,
      width: expect.any(Number) as number,
      height: expect.any(Number) as number,
      duration: expect.any(Number) as number,
    });
    const { bytes, type } = await downloaded(one.url);
    expect([bytes, type]).toEqual([one.file_size, one.content_type]);
  }
  expect(video).toEqual(videos[0]);
  expect(videos[0].url).not.toBe(videos[1].url);
});

test('an image’s record has each of its fields, without sizes in bytes or lengths in seconds', async () => {
  const id = await api.accepted('image-l', { prompt: 'a fox', n: 2 });
  const { images, image, ...rest } = (await api.settled(id)).data;
  expect(rest).toEqual({ type: 'image', n: 2, actual_prompt: 'a fox' });
  expect(images.map((one: Json) => one.url)).toEqual([0, 1].map((n) => file(id, n, images[n].file_name)));
  for (const one of images) {
    expect(one).toEqual({
      url: one.url,
      file_name: expect.stringMatching(/[.]png$/) as string,
      content_type: 'image/png',
      width: 2,
      height: 2,
    });
  }
  expect(image).toEqual(images[0]);
});

test('a sound’s record has each of its fields, without pixels', async () => {
  const id = await api.accepted('speech-a', { text: 'hello' });
  const { audios, audio, ...rest } = (await api.settled(id)).data;
  expect(rest).toEqual({ type: 'audio', n: 1, actual_prompt: 'hello' });
  expect(audios).toEqual([
    {
      url: file(id, 0, audios[0].file_name),
      file_name: expect.stringMatching(/[.]\w+$/) as string,
      content_type: expect.stringMatching(/^audio[/]/) as string,
      file_size: expect.any(Number) as number,
      duration: expect.any(Number) as number,
    },
  ]);
  expect(audio).toEqual(audios[0]);
});

test('a task without a prompt has none that was used', async () => {
  const id = await api.accepted('upscale-q', { image_url: 'https://example.com/a.png' });
  expect((await api.settled(id)).data).not.toHaveProperty('actual_prompt');
});

test('the times of a task are told as they come: when it was made, started, ended', async () => {
  const before = Date.now();
  const id = await api.accepted('image-l', { prompt: 'x' });
  const [created, started, completed] = await Promise.all(
    ['task.created', 'task.started', 'task.completed'].map((type) => told(id, type)),
  );
  expect(created).toMatchObject({ state: 'queued', started_at: null, completed_at: null });
  expect(started).toMatchObject({ state: 'running', created_at: created.created_at, completed_at: null });
  expect(completed).toMatchObject({ created_at: created.created_at, started_at: started.started_at });
  const times = [created.created_at, started.started_at, completed.completed_at].map((time) =>
    Date.parse(time),
  );
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(before);
  expect(times[1]).toBeGreaterThanOrEqual((times[0] ?? 0) + 25);
  expect(times[2]).toBeGreaterThanOrEqual((times[0] ?? 0) + 50);
  for (const time of [created.created_at, started.started_at])
    expect(new Date(time).toISOString()).toBe(time);
});

test('an event has each field of the payload, and its artifacts are the files of the record', async () => {
  const input = { prompt: 'a fox', aspect_ratio: '16:9', resolution: '2K' };
  const id = await api.accepted('image-l', input);
  const { data, usage } = await api.settled(id);
  const { artifacts, credits, owner, created_at, started_at, completed_at, ...rest } = await told(
    id,
    'task.completed',
  );
  expect(rest).toEqual({
    id,
    state: 'succeeded',
    status: 'succeeded',
    input: { ...input, n: 1 },
    template: null,
    error: null,
    logs: null,
    workspace: 'default',
  });
  expect(credits.usage).toBe(usage.total);
  expect(owner).toEqual({
    id: expect.any(Number) as number,
    email: expect.stringContaining('@') as string,
    name: expect.stringMatching(/./) as string,
    avatar: expect.stringContaining(`${emulator.url}/`) as string,
  });
  expect(artifacts).toEqual([
    {
      documentId: `${id}-0`,
      createdAt: completed_at,
      state: 'ready',
      type: 'image',
      provider: 'darkroom',
      model: 'image-l',
      duration: null,
      size: expect.any(Number) as number,
      visibility: 'private',
      tags: [],
      prompt: 'a fox',
      actual_prompt: 'a fox',
      resolution: '2K',
      aspect_ratio: '16:9',
      mode: null,
      like_count: 0,
      url: data.image.url,
      asset: {
        url: data.image.url,
        name: data.image.file_name,
        mime: 'image/png',
        width: data.image.width,
        height: data.image.height,
        formats: {},
      },
    },
  ]);
  expect([created_at, started_at].every((time) => time <= completed_at)).toBe(true);
});

test('a task that was made from a template says so in its events, and one that was not says null', async () => {
  const { body: template } = await api.control('POST /templates', {
    name: 'Posters',
    model: 'image-l',
    input: { prompt: 'a poster' },
  });
  const id = await api.accepted('image-l', { template_id: template.id });
  expect((await told(id, 'task.completed')).template).toEqual({ id: template.id, name: 'Posters' });
  const other = await api.accepted('image-l', { prompt: 'x' });
  expect((await told(other, 'task.created')).template).toBeNull();
});

test.each(['finish', 'fail', 'cancel'])(
  'a task that has ended stays as it is: %s, and nothing moves it',
  async (end) => {
    const id = await api.accepted('image-l', { prompt: 'x' });
    await api.control(`POST /tasks/${id}/${end}`);
    const before = await api.settled(id);
    await until(() => receiver.of(id).some(({ payload }) => payload.prediction.completed_at !== null));
    const types = receiver.types(id).toSorted();
    for (const move of ['start', 'finish', 'fail', 'cancel', 'hang']) {
      const { status } = await api.control(`POST /tasks/${id}/${move}`);
      expect([move, status]).toEqual([move, 409]);
      expect((await api.get(id)).body).toEqual(before);
    }
    const { lifecycle, tasks } = emulator.service();
    const task = tasks.get(id);
    if (task === undefined) throw new Error('the task is gone');
    expect([
      lifecycle.start(task),
      lifecycle.complete(task, [], {}),
      lifecycle.fail(task, 'IMAGE_GENERATION_FAILED', 'late'),
      lifecycle.cancel(task),
    ]).toEqual([false, false, false, false]);
    expect((await api.get(id)).body).toEqual(before);
    expect(receiver.types(id).toSorted()).toEqual(types);
  },
);

async function downloaded(url: string): Promise<{ bytes: number; type: string | null }> {
  const response = await fetch(url);
  return { bytes: (await response.arrayBuffer()).byteLength, type: response.headers.get('content-type') };
}
