import { expect, test } from 'vitest';
import type { Assumptions } from '../../../emulator/src/assumptions.ts';
import type { EmulatorOptions } from '../../../emulator/src/options.ts';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { MODELS } from '../../../src/api/models/registry.ts';
import { ApiCaller, type Json } from '../api-caller.ts';
import { until } from '../until.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { readConfig } from './read-config.ts';

const PROMPT = { prompt: 'x' };
const REJECTED = { prompt: '[[reject]]' };
const DEAD = 'http://127.0.0.1:9/';
/** Without exact durations: as long as the assumptions say. */
const UNTIMED: EmulatorOptions = { durations: {} };
const RENDERED: EmulatorOptions = { media: 'rendered' };

/** What a guess does: what is seen of it from outside, as it is and when it is said otherwise. */
interface Effect {
  /** As it is written in the file of `EMULATOR_CONFIG`. */
  to: unknown;
  see: (api: ApiCaller, emulator: Emulator) => Promise<unknown>;
  usual: unknown;
  changed: unknown;
  options?: EmulatorOptions;
}

const EFFECTS: Readonly<Record<keyof Assumptions, Effect>> = {
  submitStatus: { to: 202, see: statusOf('image-l', PROMPT), usual: 201, changed: 202 },
  submitErrorStatus: {
    to: { CONTENT_REJECTED: 451 },
    see: statusOf('image-l', REJECTED),
    usual: 422,
    changed: 451,
  },
  malformedBodyStatus: { to: 422, see: statusOf('image-l', '{'), usual: 400, changed: 422 },
  tooLargeStatus: {
    to: 422,
    see: statusOf('image-l', { prompt: 'x'.repeat(1_100_000) }),
    usual: 413,
    changed: 422,
  },
  creditsErrorStatus: {
    to: { WORKSPACE_FORBIDDEN: 401 },
    see: async (api) => (await api.credits({ 'x-workspace': 'another' })).status,
    usual: 403,
    changed: 401,
  },
  unknownRoute: {
    to: { status: 405, code: 'NO_SUCH_MODEL' },
    see: async (api) => {
      const { status, body } = await api.submit('image-z', PROMPT);
      return [status, body.code];
    },
    usual: [404, 'NOT_FOUND'],
    changed: [405, 'NO_SUCH_MODEL'],
  },
  checkOrder: {
    to: ['model', 'key', 'workspace', 'body', 'template', 'moderation', 'input', 'credits', 'rate limit'],
    see: async (api) => [
      (await api.submit('image-z', PROMPT, { authorization: '' })).status,
      (await (await broke(api)).submit('image-l', REJECTED)).body.code,
      (await api.submit('image-l', { ...REJECTED, n: 9 })).body.code,
    ],
    usual: [401, 'IMAGE_GENERATION_INSUFFICIENT_CREDITS', 'IMAGE_GENERATION_INVALID_INPUT'],
    changed: [404, 'IMAGE_GENERATION_CONTENT_REJECTED', 'IMAGE_GENERATION_CONTENT_REJECTED'],
  },
  insufficientCreditsDetails: {
    to: { required: 'price', available: 'balance' },
    see: async (api) => (await (await broke(api)).submit('image-l', PROMPT)).body.details,
    usual: { required: 8, available: 0 },
    changed: { price: 8, balance: 0 },
  },
  taskIdShape: { to: '^\\d+$', see: async (api) => (await api.get('abc')).status, usual: 404, changed: 422 },
  workspaceHeader: {
    to: 'X-Team',
    see: statusOf('image-l', PROMPT, { 'x-team': 'another' }),
    usual: 201,
    changed: 403,
  },
  keyScopes: {
    to: { submit: 'write', get: 'write', credits: 'read' },
    see: async (api, emulator) => {
      const id = await api.accepted('image-l', PROMPT);
      return await Promise.all(
        ['generate', 'read', 'credits', 'write'].map(async (scope) => {
          const key = { name: scope, workspace: 'default', scope: [scope] };
          const { body } = await api.control('POST /keys', key);
          if (body.value === undefined) return [scope, 'is no scope'];
          const holder = new ApiCaller(emulator, body.value);
          const answers = [
            await holder.submit('image-l', PROMPT),
            await holder.get(id),
            await holder.credits(),
          ];
          return [scope, ...answers.map(({ status }) => status)];
        }),
      );
    },
    usual: [
      ['generate', 201, 403, 403],
      ['read', 403, 200, 403],
      ['credits', 403, 403, 200],
      ['write', 'is no scope'],
    ],
    changed: [
      ['generate', 'is no scope'],
      ['read', 403, 403, 200],
      ['credits', 'is no scope'],
      ['write', 201, 200, 403],
    ],
  },
  templateField: {
    to: 'template',
    see: async (api) => (await api.submit('image-l', { ...PROMPT, template: 'none' })).body.code,
    usual: 'IMAGE_GENERATION_INVALID_INPUT',
    changed: 'TEMPLATE_NOT_FOUND',
  },
  templateMetadata: {
    to: { id: 'documentId', name: 'title' },
    see: async (api) => {
      await using receiver = await WebhookReceiver.start();
      await api.control('POST /endpoints', { workspace: 'default', url: receiver.url });
      await api.control('POST /templates', { id: 'tpl', name: 'Postcard', model: null, input: {} });
      await api.accepted('image-l', { ...PROMPT, template_id: 'tpl' });
      return (await until(() => receiver.received[0])).payload.prediction.template;
    },
    usual: { id: 'tpl', name: 'Postcard' },
    changed: { documentId: 'tpl', title: 'Postcard' },
  },
  inputDefaults: {
    to: { 'image-l': { resolution: '2K' } },
    see: async (api) => [
      (await api.submit('image-l', PROMPT)).body.input,
      (await api.submit('image-l', { ...PROMPT, resolution: '1K' })).body.input.resolution,
    ],
    usual: [{ prompt: 'x', n: 1 }, '1K'],
    changed: [{ prompt: 'x', n: 1, resolution: '2K' }, '1K'],
  },
  moderationTrigger: { to: 'x', see: statusOf('image-l', PROMPT), usual: 201, changed: 422 },
  brokenInputFile: {
    to: 'submit is refused',
    options: RENDERED,
    see: async (api, emulator) => {
      const tooSmall = { ...PROMPT, image_urls: [`${emulator.url}/files/avatar.png`] };
      const unreachable = { image_url: `${DEAD}x.png` };
      const answers = [await api.submit('image-s', tooSmall), await api.submit('upscale-q', unreachable)];
      return await Promise.all(
        answers.map(async ({ status, body }) => [status, body.code ?? (await api.settled(body.id)).code]),
      );
    },
    usual: [
      [201, 'IMAGE_GENERATION_INVALID_INPUT'],
      [201, 'IMAGE_GENERATION_INVALID_INPUT'],
    ],
    changed: [
      [422, 'IMAGE_GENERATION_INVALID_INPUT'],
      [422, 'IMAGE_GENERATION_INVALID_INPUT'],
    ],
  },
  prices: { to: { 'image-l': 11 }, see: priceOf('image-l', PROMPT), usual: 8, changed: 11 },
  creditsPerSourceSecond: {
    to: { 'video-d': 7 },
    see: async (api, emulator) => {
      const { data } = await api.settled(await api.accepted('video-g', PROMPT));
      return await priceOf('video-d', { ...PROMPT, video_url: data.video.url })(api, emulator);
    },
    usual: 60,
    changed: 7,
  },
  creditsPerUsd: { to: 10, see: priceOf('video-g', { ...PROMPT, duration: 4 }), usual: 20, changed: 2 },
  firstPool: {
    to: 'permanent',
    see: async (api) => (await api.submit('image-l', PROMPT)).body.usage,
    usual: { total: 8, subscription: 8, permanent: 0 },
    changed: { total: 8, subscription: 0, permanent: 8 },
  },
  refunds: {
    to: ['TIMEOUT'],
    see: async (api) => {
      await api.control('POST /faults', { on: 'task', fault: { kind: 'fail', code: 'TIMEOUT' } });
      return (await api.settled(await api.accepted('image-l', PROMPT))).usage.total;
    },
    usual: 8,
    changed: 0,
  },
  outputSizes: {
    to: { 'image-l': { aspect: '16:9', resolution: '2K' } },
    options: RENDERED,
    see: sizeOf('image-l', () => PROMPT),
    usual: [1024, 1024],
    changed: [2048, 1152],
  },
  resolutions: {
    to: { '1K': { side: 'longest', pixels: 512 } },
    options: RENDERED,
    see: sizeOf('image-l', () => PROMPT),
    usual: [1024, 1024],
    changed: [512, 512],
  },
  longestUpscaledSide: {
    to: 3,
    options: RENDERED,
    see: sizeOf('upscale-q', ({ url }) => ({ image_url: `${url}/files/avatar.png` })),
    usual: [4, 4],
    changed: [3, 3],
  },
  defaultOutputSeconds: { to: 2, see: priceOf('video-g', PROMPT), usual: 25, changed: 10 },
  longestOutputSeconds: {
    to: 1,
    options: RENDERED,
    see: async (api) => {
      const input = { ...PROMPT, duration: 2, resolution: '360p' };
      return (await api.settled(await api.accepted('video-j', input))).status;
    },
    usual: 'COMPLETED',
    changed: 'FAILED',
  },
  bareUriModels: {
    to: ['image-l'],
    see: async (api) => typeof (await api.settled(await api.accepted('image-l', PROMPT))).data,
    usual: 'object',
    changed: 'string',
  },
  audioOutput: {
    to: { list: 'sounds', first: 'sound' },
    see: async (api) => {
      const { data } = await api.settled(await api.accepted('speech-b', { text: 'x' }));
      return [data.audios, data.audio, data.sounds, data.sound].map((part) =>
        Array.isArray(part) ? 'list' : typeof part,
      );
    },
    usual: ['list', 'object', 'undefined', 'undefined'],
    changed: ['undefined', 'undefined', 'list', 'object'],
  },
  queueTime: {
    to: [77_000, 77_000],
    options: UNTIMED,
    see: async (api) => {
      const { createdAt, startDue } = await taskOf(api);
      return Date.parse(startDue) - Date.parse(createdAt) === 77_000;
    },
    usual: false,
    changed: true,
  },
  runTimeSpread: {
    to: 0,
    options: UNTIMED,
    see: async (api) => {
      const { startDue, finishDue } = await taskOf(api);
      return Date.parse(finishDue) - Date.parse(startDue) === MODELS['image-l'].typicalSeconds * 1000;
    },
    usual: false,
    changed: true,
  },
  webhookRetries: {
    to: [],
    see: async (api) => (await attempted(api, DEAD)).state,
    usual: 'pending',
    changed: 'failed',
  },
  webhookTimeout: {
    to: 50,
    see: async (api) => {
      await using receiver = await WebhookReceiver.start();
      receiver.delay = 1500;
      return (await attempted(api, receiver.url)).attempts[0].status;
    },
    usual: 204,
    changed: null,
  },
  rotationOverlap: {
    to: 0,
    see: async (api) => {
      await using receiver = await WebhookReceiver.start();
      const { body } = await api.control('POST /endpoints', { workspace: 'default', url: receiver.url });
      await api.control(`POST /endpoints/${body.id}/rotate`);
      await api.control(`POST /endpoints/${body.id}/test`);
      const { headers } = await until(() => receiver.received[0]);
      return String(headers['webhook-signature']).split(' ').length;
    },
    usual: 2,
    changed: 1,
  },
  testDeliveryMark: {
    to: { event: 'task.test', sample: 1 },
    see: async (api) => Object.entries((await attempted(api, DEAD)).payload).slice(0, 2),
    usual: [
      ['event', 'task.completed'],
      ['test', true],
    ],
    changed: [
      ['event', 'task.test'],
      ['sample', 1],
    ],
  },
  deliveryLogCounts: {
    to: 'deliveries',
    options: { webhooks: { retries: Array.from({ length: 24 }, () => 0) } },
    see: async (api) => {
      await attempted(api, DEAD);
      const shown = await until(async () => {
        const { body } = await api.control('GET /deliveries');
        return body[0].state === 'failed' && body;
      });
      return shown[0].attempts.length;
    },
    usual: 20,
    changed: 25,
  },
  maxJsonBytes: { to: 10, see: statusOf('image-l', PROMPT), usual: 201, changed: 413 },
  maxUploadBytes: {
    to: 10,
    see: async (_api, { baseUrl, apiKey }) => {
      const body = new FormData();
      body.set('prompt', 'x');
      const headers = { authorization: `Bearer ${apiKey}` };
      return (await fetch(`${baseUrl}/generation/darkroom/image-l`, { method: 'POST', headers, body }))
        .status;
    },
    usual: 201,
    changed: 413,
  },
  deepestNesting: {
    to: 1,
    see: statusOf('image-l', { ...PROMPT, image_urls: ['https://example.com/a.png'] }),
    usual: 201,
    changed: 400,
  },
  retainedTasks: {
    to: 1,
    see: async (api) => {
      const oldest = await api.accepted('image-l', PROMPT);
      await api.settled(oldest);
      await api.accepted('image-l', PROMPT);
      return (await api.get(oldest)).status;
    },
    usual: 200,
    changed: 404,
  },
};

test.each(Object.entries(EFFECTS))(
  'the guess %s can be another in EMULATOR_CONFIG, and that shows',
  async (name, { to, see, usual, changed, options }) => {
    expect(await seen(see, {}, options)).toEqual(usual);
    expect(await seen(see, { assumptions: { [name]: to } }, options)).toEqual(changed);
  },
);

test('the assumptions in force are shown, those of a table that were not named among them', async () => {
  const assumptions = {
    prices: { 'image-l': 11 },
    workspaceHeader: 'X-Team',
    insufficientCreditsDetails: null,
  };
  const state = await seen(async (api) => (await api.control('GET /state')).body, { assumptions });
  expect(state).toMatchObject({
    assumptions: {
      prices: { 'image-l': 11, 'image-m': 12 },
      workspaceHeader: 'x-team',
      insufficientCreditsDetails: null,
      firstPool: 'subscription',
    },
  });
  const details = async (api: ApiCaller) => (await (await broke(api)).submit('image-l', PROMPT)).body.details;
  expect(await seen(details, { assumptions })).toBeUndefined();
});

test('rules between fields that are only hinted at can be relaxed by model, and those that are stated cannot', async () => {
  const status = async (api: ApiCaller): Promise<unknown[]> => [
    (await api.submit('image-n', { prompt: 'tell @Image about it' })).status,
    (await api.submit('video-i', { prompt: 'x', bgm: true, duration: 5 })).status,
  ];
  expect(await seen(status, {})).toEqual([422, 422]);
  const models = { 'image-n': { assumedRules: 'relax' }, 'video-i': { assumedRules: 'relax' } };
  expect(await seen(status, { models })).toEqual([201, 422]);
});

test.each([
  [
    { assumptions: { submitStatus: 'many' } },
    /EMULATOR_CONFIG: .*emulator\.json is not .*assumptions\.submitStatus: .*Example: \{/,
  ],
  [
    { assumptions: { sumbitStatus: 202 } },
    /assumptions: sumbitStatus is not known here; did you mean submitStatus\?/,
  ],
  [
    { assumptions: { submitErrorStatus: { TIME_OUT: 408 } } },
    /submitErrorStatus: TIME_OUT .* did you mean TIMEOUT\?/,
  ],
  [{ assumptions: { prices: { 'image-1': 5 } } }, /prices: image-1 .* did you mean image-l\?/],
  [
    { assumptions: { unknownRoute: { status: 404, kode: 'X' } } },
    /unknownRoute: kode .* did you mean code\?/,
  ],
  [{ assumption: {} }, /the file: assumption is not known here; did you mean assumptions\?/],
  [{ models: { 'image-1': {} } }, /did you mean image-l/],
  [{ assumptions: { bareUriModels: ['image-1'] } }, /bareUriModels/],
  [{ assumptions: { taskIdShape: '(' } }, /taskIdShape: must be a regular expression/],
  [{ assumptions: { checkOrder: ['key'] } }, /checkOrder: must name each of these once: workspace, model/],
  [
    {
      assumptions: {
        checkOrder: [
          'workspace',
          'key',
          'model',
          'rate limit',
          'body',
          'template',
          'input',
          'credits',
          'moderation',
        ],
      },
    },
    /checkOrder: must have "key" before "workspace"/,
  ],
])('a file that says %j is refused with what is wrong in it', (content, complaint) => {
  expect(() => readConfig(content)).toThrow(complaint);
});

/** What is seen of an emulator of its own that is started with such a file. */
async function seen(see: Effect['see'], content: unknown, options: EmulatorOptions = {}): Promise<unknown> {
  const all: EmulatorOptions = { port: 0, media: 'tiny', durations: { queue: 0, run: 0 }, ...options };
  const emulator = await startEmulator({ ...readConfig(content), accounts: [], ...all });
  try {
    return await see(new ApiCaller(emulator), emulator);
  } finally {
    await emulator.close();
  }
}

function statusOf(model: string, input: unknown, headers: Record<string, string> = {}): Effect['see'] {
  return async (api) => (await api.submit(model, input, headers)).status;
}

function priceOf(model: string, input: unknown): Effect['see'] {
  return async (api) => (await api.submit(model, input)).body.usage.total;
}

function sizeOf(model: string, input: (emulator: Emulator) => unknown): Effect['see'] {
  return async (api, emulator) => {
    const { data } = await api.settled(await api.accepted(model, input(emulator)));
    return [data.image.width, data.image.height];
  };
}

/** Somebody without credits. */
async function broke(api: ApiCaller): Promise<ApiCaller> {
  await api.control('PUT /workspaces/default/credits', { permanent: 0, subscription: 0 });
  return api;
}

async function taskOf(api: ApiCaller): Promise<Json> {
  return (await api.control(`GET /tasks/${await api.accepted('image-l', PROMPT)}`)).body;
}

/** A test delivery to such an endpoint, after its first attempt. */
async function attempted(api: ApiCaller, url: string): Promise<Json> {
  const { body: endpoint } = await api.control('POST /endpoints', { workspace: 'default', url });
  const { body: delivery } = await api.control(`POST /endpoints/${endpoint.id}/test`);
  return await until(async () => {
    const { body } = await api.control(`GET /deliveries/${delivery.id}`);
    return body.attempts.length > 0 && body;
  });
}
