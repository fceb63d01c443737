import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { errorBodySchema } from '../../../src/api/error-body.ts';
import { generationSchema } from '../../../src/api/records/generation-record.ts';
import { ApiCaller } from '../api-caller.ts';
import { until } from '../until.ts';

let emulator: Emulator;
let api: ApiCaller;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 40, run: 40 } });
  api = new ApiCaller(emulator);
});
afterAll(() => emulator.close());

describe('a task', () => {
  test('goes from the queue through progress to its data, and its records have no other properties', async () => {
    const submitted = await api.submit('image-l', { prompt: 'a fox', n: 2 });
    expect(submitted.status).toBe(201);
    expect(submitted.body).toEqual({
      id: expect.any(String),
      status: 'IN_QUEUE',
      input: { prompt: 'a fox', n: 2 },
      usage: { total: 16, subscription: 16, permanent: 0 },
    });
    const states = new Set<string>([submitted.body.status]);
    const record = await until(async () => {
      const { status, body } = await api.get(submitted.body.id);
      expect(status).toBe(200);
      const parsed = generationSchema.parse(body);
      states.add(parsed.status);
      expect(body.data === null).toBe(parsed.status !== 'COMPLETED');
      return parsed.status === 'COMPLETED' && body;
    });
    const order = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED'];
    // A busy machine may be too slow to see a short state, but never sees them in another order.
    expect([...states]).toEqual(order.filter((state) => states.has(state)));
    expect(record.data).toMatchObject({ type: 'image', n: 2, actual_prompt: 'a fox' });
    expect(record.data.images).toHaveLength(2);
    expect(record.data.image).toEqual(record.data.images[0]);
    const file = await api.call('GET', record.data.image.url);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  test('keeps every field that was sent and gets the defaults beside them', async () => {
    const { body } = await api.submit('upscale-q', { image_url: 'https://example.com/a.png' });
    expect(body.input).toEqual({ image_url: 'https://example.com/a.png', upscale_factor: 2, n: 1 });
    const other = await api.submit('upscale-q', {
      image_url: 'HTTPS://example.com/a.png',
      upscale_factor: 1.5,
      n: 3,
    });
    expect(other.body.input).toEqual({ image_url: 'HTTPS://example.com/a.png', upscale_factor: 1.5, n: 3 });
  });

  test('may have a bare URI as its data, and videos and sounds have objects of their own', async () => {
    const url = 'https://example.com/a';
    const lipSync = await api.settled(await api.accepted('lip-sync-h', { video_url: url, audio_url: url }));
    expect(lipSync.data).toMatch(/^http.*\.mp4$/);
    const video = await api.settled(await api.accepted('video-g', { prompt: 'waves' }));
    expect(video.data).toMatchObject({ type: 'video', n: 1, seed: expect.any(Number) });
    expect(video.data.videos[0]).toMatchObject({ content_type: 'video/mp4', duration: 1 });
    const speech = await api.settled(await api.accepted('speech-b', { text: 'hello' }));
    expect(speech.data).toMatchObject({ type: 'audio', audio: { content_type: 'audio/wav' } });
  });

  test('of a versioned model needs some version in its path, of the others none', async () => {
    const input = { input_image: 'https://example.com/a', swap_image: 'https://example.com/b' };
    const statuses = await Promise.all(
      ['face-swap-c:1', 'face-swap-c%3A9f', 'face-swap-c', 'face-swap-c:'].map((path) =>
        api.submit(path, input),
      ),
    );
    expect(statuses.map(({ status }) => status)).toEqual([201, 201, 404, 404]);
    expect((await api.submit('image-l:1', { prompt: 'x' })).status).toBe(404);
  });
});

describe('a submit is refused', () => {
  test('with every field that is wrong, by its path', async () => {
    const { status, body } = await api.submit('image-l', { prompt: 5, n: 9, foo: 1 });
    expect(status).toBe(422);
    expect(errorBodySchema.parse(body).code).toBe('IMAGE_GENERATION_INVALID_INPUT');
    expect(body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual(['foo', 'n', 'prompt']);
  });

  test.each([
    ['an unknown model', 'image-z', { prompt: 'x' }, {}, 404, 'NOT_FOUND'],
    ['a body that is no JSON', 'video-g', '{"prompt":', {}, 400, 'VIDEO_GENERATION_INVALID_INPUT'],
    ['a body that is no object', 'video-g', [], {}, 400, 'VIDEO_GENERATION_INVALID_INPUT'],
    [
      'a media type of its own',
      'speech-b',
      'x',
      { 'content-type': 'text/plain' },
      400,
      'TTS_GENERATION_INVALID_INPUT',
    ],
    [
      'too large a body',
      'image-l',
      { prompt: 'x'.repeat(1_100_000) },
      {},
      413,
      'IMAGE_GENERATION_INVALID_INPUT',
    ],
    [
      'a prompt that moderation rejects',
      'image-l',
      { prompt: 'a [[reject]] b' },
      {},
      422,
      'IMAGE_GENERATION_CONTENT_REJECTED',
    ],
    ['an unknown template', 'image-l', { template_id: 'nope' }, {}, 404, 'TEMPLATE_NOT_FOUND'],
    ['no key', 'image-l', { prompt: 'x' }, { authorization: '' }, 401, 'UNAUTHORIZED'],
    ['a wrong key', 'image-l', { prompt: 'x' }, { authorization: 'Bearer nope' }, 401, 'UNAUTHORIZED'],
    [
      'a foreign workspace',
      'image-l',
      { prompt: 'x' },
      { 'x-workspace': 'other' },
      403,
      'WORKSPACE_FORBIDDEN',
    ],
  ])('for %s', async (_why, model, input, headers, status, code) => {
    const charged = async () => (await api.control('GET /ledger')).body.totals.charges;
    const before = await charged();
    const refused = await api.submit(model, input, headers);
    expect([refused.status, errorBodySchema.parse(refused.body).code]).toEqual([status, code]);
    expect(await charged()).toBe(before);
  });

  test('but a prompt that moderation would reject is rewritten where the model and the input say so', async () => {
    const input = { prompt: 'a [[reject]]fox', auto_fix: true };
    const { input: kept, data } = await api.settled(await api.accepted('video-k', input));
    expect([kept, data.actual_prompt]).toEqual([{ ...input, n: 1 }, 'a fox']);
    const refused = await api.submit('video-k', { ...input, auto_fix: false });
    expect([refused.status, refused.body.code]).toEqual([422, 'VIDEO_GENERATION_CONTENT_REJECTED']);
  });
});

test('a template completes the input, and the task says which one it was', async () => {
  const { body: template } = await api.control('POST /templates', {
    name: 'Postcard',
    model: 'image-l',
    input: { aspect_ratio: '16:9', prompt: 'a postcard' },
  });
  const { body } = await api.submit('image-l', { template_id: template.id, prompt: 'my own words' });
  expect(body.input).toEqual({ aspect_ratio: '16:9', prompt: 'my own words', n: 1 });
  const { body: task } = await api.control(`GET /tasks/${body.id}`);
  expect(task.template).toEqual({ id: template.id, name: 'Postcard' });
  const misplaced = await api.submit('image-o', { template_id: template.id, prompt: 'x' });
  expect([misplaced.status, misplaced.body.code]).toEqual([404, 'TEMPLATE_NOT_FOUND']);
});

test('a body that is not UTF-8 is refused: it would buy a prompt that nobody wrote', async () => {
  const response = await fetch(`${emulator.baseUrl}/generation/darkroom/image-l`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
    body: Buffer.from('{"prompt":"caf\xe9"}', 'latin1'),
  });
  expect(response.status).toBe(400);
  expect(errorBodySchema.parse(await response.json()).code).toBe('IMAGE_GENERATION_INVALID_INPUT');
});

test('a form is read as the JSON that it stands for, and its files become URLs', async () => {
  const form = new FormData();
  form.set('prompt', '1234');
  form.set('n', '2');
  form.set('resolution', '1K');
  form.append('image_urls', 'https://example.com/a.png');
  form.append('image_urls', new File([new Uint8Array([1, 2, 3])], 'my photo.png', { type: 'image/png' }));
  const response = await fetch(`${emulator.baseUrl}/generation/darkroom/image-l`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    body: form,
  });
  const { input } = (await response.json()) as { input: Record<string, unknown> };
  expect(response.status).toBe(201);
  expect(input).toEqual({
    prompt: '1234',
    n: 2,
    resolution: '1K',
    image_urls: ['https://example.com/a.png', expect.stringMatching(/\/files\/uploads\/.*\/my-photo\.png$/)],
  });
  const upload = await fetch(String((input['image_urls'] as string[])[1]));
  expect([...new Uint8Array(await upload.arrayBuffer())]).toEqual([1, 2, 3]);
});

test('a workspace above its rate limit is told when to come back, another one is not slowed down', async () => {
  await api.control('POST /workspaces', {
    id: 'limited',
    credits: { permanent: 1000 },
    rateLimit: { limit: 2, windowMs: 60_000, retryAfter: 'seconds' },
  });
  const { body: key } = await api.control('POST /keys', { name: 'limited', workspace: 'limited' });
  const limited = new ApiCaller(emulator, key.value);
  const statuses = [];
  for (let turn = 0; turn < 3; turn += 1)
    statuses.push((await limited.submit('image-l', { prompt: 'x' })).status);
  expect(statuses).toEqual([201, 201, 429]);
  const refused = await limited.submit('image-l', { prompt: 'x' });
  expect(refused.body.code).toBe('IMAGE_GENERATION_RATE_LIMITED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20);
  expect((await api.submit('image-l', { prompt: 'x' })).status).toBe(201);

  const rateLimit = { limit: 1, windowMs: 60_000, retryAfter: 'date' };
  await api.control('PATCH /workspaces/limited', { rateLimit });
  await limited.submit('image-l', { prompt: 'x' });
  const dated = await limited.submit('image-l', { prompt: 'x' });
  expect(Date.parse(dated.headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now());
  await api.control('PATCH /workspaces/limited', { rateLimit: { ...rateLimit, retryAfter: 'none' } });
  await limited.submit('image-l', { prompt: 'x' });
  const silent = await limited.submit('image-l', { prompt: 'x' });
  expect([silent.status, silent.headers.get('retry-after')]).toEqual([429, null]);
});

test('other paths and field names can be given to models, as in the configuration of a worker', async () => {
  await using renamed = disposable(
    await startEmulator({
      port: 0,
      media: 'tiny',
      durations: { queue: 0, run: 0 },
      models: { 'image-l': { path: 'generation/acme/pictures/v2', fields: { prompt: 'words', n: 'count' } } },
    }),
  );
  const caller = new ApiCaller(renamed.emulator);
  expect((await caller.submit('image-l', { prompt: 'x' })).status).toBe(404);
  const url = `${renamed.emulator.baseUrl}/generation/acme/pictures/v2`;
  const headers = { authorization: `Bearer ${renamed.emulator.apiKey}` };
  const { body } = await caller.call('POST', url, { words: 'a fox', count: 3 }, headers);
  expect(body).toMatchObject({ input: { words: 'a fox', count: 3 }, usage: { total: 24 } });
  expect((await caller.settled(body.id)).data).toMatchObject({ n: 3, actual_prompt: 'a fox' });
  const wrong = await caller.call('POST', url, { words: 5, prompt: 'x' }, headers);
  expect(wrong.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual(['prompt', 'words']);
});

function disposable(emulator: Emulator): AsyncDisposable & { emulator: Emulator } {
  return { emulator, [Symbol.asyncDispose]: () => emulator.close() };
}
