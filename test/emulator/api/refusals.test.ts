import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHECKS, type Submission } from '../../../emulator/src/api/checks.ts';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';

let emulator: Emulator;
let api: ApiCaller;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 0, run: 0 } });
  api = new ApiCaller(emulator);
});
afterAll(() => emulator.close());

const UNAUTHORIZED = { code: 'UNAUTHORIZED', message: 'The API key is missing, invalid or revoked.' };
const NO_ROUTE = { code: 'NOT_FOUND', message: 'There is no such route.' };
const NO_MODEL = { code: 'NOT_FOUND', message: 'There is no such model.' };
const FORBIDDEN = 'This API key has no access to the workspace.';

test.each([
  ['GET', 'nowhere', NO_ROUTE],
  ['GET', 'generation', NO_ROUTE],
  ['GET', 'generation/', NO_ROUTE],
  ['GET', 'generation/a/b', NO_ROUTE],
  ['GET', 'x/generation/a', NO_ROUTE],
  ['DELETE', 'generation/a', NO_ROUTE],
  ['PUT', 'credits', NO_ROUTE],
  ['POST', 'credits', NO_ROUTE],
  ['POST', 'generation/a', NO_MODEL],
  ['POST', 'generation/%E0%A4%A', NO_MODEL],
])('%s %s is answered 404', async (method, path, body) => {
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const url = `${emulator.baseUrl}/${path}`;
  expect(await api.call(method, url, undefined, headers)).toMatchObject({ status: 404, body });
  expect(await api.call(method, url)).toMatchObject({ status: 401, body: UNAUTHORIZED });
});

test('what reads is refused in words that say why', async () => {
  await api.control('POST /workspaces', { id: 'other' });
  const { body: key } = await api.control('POST /keys', { name: 'other', workspace: 'other' });
  const other = new ApiCaller(emulator, key.value);
  const { body: paying } = await api.control('POST /keys', {
    name: 'paying',
    workspace: 'default',
    scope: ['generate'],
  });
  const payer = new ApiCaller(emulator, paying.value);
  const id = await api.accepted('image-l', { prompt: 'x' });
  const answers = [
    await api.get('%E0%A4%A'),
    await other.get(id),
    await payer.get(id),
    await api.get('no-such-task'),
    await api.get('not*an*id'),
    await payer.credits(),
  ];
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [400, { code: 'INVALID_INPUT', message: 'The generation id cannot be decoded.' }],
    [403, { code: 'FORBIDDEN', message: 'This API key has no access to the generation.' }],
    [403, { code: 'FORBIDDEN', message: FORBIDDEN }],
    [404, { code: 'PREDICTION_NOT_FOUND', message: 'The generation was not found.' }],
    [422, { code: 'INVALID_INPUT', message: 'The generation id is not valid.' }],
    [403, { code: 'WORKSPACE_FORBIDDEN', message: FORBIDDEN }],
  ]);
});

/** Sends bytes as they are, with no header that was not asked for. */
async function post(bytes: string | Buffer, contentType: string | undefined) {
  return await new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    request(
      `${emulator.baseUrl}/generation/darkroom/image-l`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${emulator.apiKey}`,
          ...(contentType === undefined ? {} : { 'content-type': contentType }),
        },
      },
      (response) => {
        const texts: string[] = [];
        response.setEncoding('utf8').on('data', (text: string) => texts.push(text));
        response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(texts.join('')) }));
      },
    )
      .on('error', reject)
      .end(bytes);
  });
}

describe('a body', () => {
  const json = 'application/json';
  const NO_FORM = 'The body is not a valid multipart form.';
  const deep = (levels: number) => `{"prompt":"x","more":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  test.each<[string, string | Buffer, string, string]>([
    ['no JSON', '{"prompt":', json, 'The body is not valid JSON.'],
    ['no object', '[]', json, 'The body must be a JSON object.'],
    ['a text', '"x"', json, 'The body must be a JSON object.'],
    ['not UTF-8', Buffer.from('{"prompt":"caf\xe9"}', 'latin1'), json, 'The body is not valid UTF-8.'],
    ['nested too deeply', deep(1000), json, 'The body is nested too deeply.'],
    ['no form', 'x', 'multipart/form-data; boundary=y', NO_FORM],
    ['a form without a boundary', 'x', 'Multipart/Form-Data', NO_FORM],
    ...['text/plain', 'x-application/json', 'application/jsonl', 'x-multipart/form-data; boundary=y'].map(
      (type): [string, string, string, string] => [
        `of the type ${type}`,
        '{"prompt":"x"}',
        type,
        `The content type ${type} is not supported; send JSON or multipart/form-data.`,
      ],
    ),
  ])('that is %s is refused', async (_what, bytes, type, message) => {
    expect(await post(bytes, type)).toEqual({
      status: 400,
      body: { code: 'IMAGE_GENERATION_INVALID_INPUT', message },
    });
  });

  test('that is too large is refused', async () => {
    expect(await post('x'.repeat(1_100_000), json)).toEqual({
      status: 413,
      body: { code: 'IMAGE_GENERATION_INVALID_INPUT', message: 'The request body is too large.' },
    });
  });
});

test('a price above the balance is refused with both, or without where details are said to be none', async () => {
  await using silent = disposable(
    await startEmulator({
      port: 0,
      media: 'tiny',
      accounts: [{ workspace: 'default', credits: { permanent: 5, subscription: 2 } }],
      assumptions: { insufficientCreditsDetails: null },
    }),
  );
  const body = {
    code: 'IMAGE_GENERATION_INSUFFICIENT_CREDITS',
    message: 'Not enough credits for this request.',
    error: 'INSUFFICIENT_CREDITS',
  };
  const refused = await new ApiCaller(silent.emulator).submit('image-l', { prompt: 'x' });
  expect([refused.status, refused.body]).toEqual([402, body]);
  await api.control('POST /workspaces', { id: 'poor', credits: { permanent: 5, subscription: 2 } });
  const { body: key } = await api.control('POST /keys', { name: 'poor', workspace: 'poor' });
  const detailed = await new ApiCaller(emulator, key.value).submit('image-l', { prompt: 'x' });
  expect([detailed.status, detailed.body]).toEqual([
    402,
    { ...body, details: { required: 8, available: 7 } },
  ]);
});

test('an input file that cannot be fetched refuses the submit where that is said, an input without files passes', async () => {
  await using strict = disposable(
    await startEmulator({ port: 0, assumptions: { brokenInputFile: 'submit is refused' } }),
  );
  const caller = new ApiCaller(strict.emulator);
  const refused = await caller.submit('upscale-q', { image_url: 'http://127.0.0.1:9/x.png' });
  expect([refused.status, refused.body]).toEqual([
    422,
    { code: 'IMAGE_GENERATION_INVALID_INPUT', message: 'http://127.0.0.1:9/x.png cannot be fetched' },
  ]);
  expect((await caller.submit('image-l', { prompt: 'x' })).status).toBe(201);
});

test('a check that comes before what it needs says what is missing', () => {
  const check = () =>
    CHECKS.moderation(emulator.service(), { offered: {}, sent: {} } as unknown as Submission);
  expect(check).toThrow(new Error('The checks came in a wrong order: no input is known yet'));
});

function disposable(emulator: Emulator): AsyncDisposable & { emulator: Emulator } {
  return { emulator, [Symbol.asyncDispose]: () => emulator.close() };
}
