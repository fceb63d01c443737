import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { until } from '../until.ts';

let folder: string;
let emulator: Emulator;
const logged: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bodies-'));
  emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    dbFile: join(folder, 'emulator.db'),
    log: (line) => void logged.push(line),
    assumptions: { maxJsonBytes: 1000, maxUploadBytes: 2000, deepestNesting: 3 },
  });
});
afterAll(async () => {
  await emulator.close();
  await rm(folder, { recursive: true });
});

/** @param contentType null: the request says nothing of it */
async function sent(body: Uint8Array | string, contentType: string | null): Promise<unknown[]> {
  const response = await fetch(`${emulator.baseUrl}/generation/darkroom/image-l`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${emulator.apiKey}`,
      ...(contentType === null ? {} : { 'content-type': contentType }),
    },
    body: Buffer.from(body), // of text fetch would say that it is text
  });
  const { message, input } = (await response.json()) as { message?: string; input?: unknown };
  return [response.status, message ?? input];
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data; boundary=b';
const part = (head: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
const prompt = part('name="prompt"', 'x');

test.each<[string, string | Uint8Array, string | null, number, unknown]>([
  ['JSON', '{"prompt":"x"}', JSON_TYPE, 201, { prompt: 'x', n: 1 }],
  ['JSON with a charset', '{"prompt":"x"}', 'Application/JSON; charset=utf-8', 201, { prompt: 'x', n: 1 }],
  ['JSON that does not say so', '{"prompt":"x"}', null, 201, { prompt: 'x', n: 1 }],
  ['a form', `${prompt}--b--`, FORM_TYPE, 201, { prompt: 'x', n: 1 }],
  ['a form in capitals', `${prompt}--b--`, 'Multipart/Form-Data; boundary=b', 201, { prompt: 'x', n: 1 }],
  ['three levels', '{"image_urls":[[]]}', JSON_TYPE, 422, 'The request input is invalid.'],
  ['four levels', '{"image_urls":[[[]]]}', JSON_TYPE, 400, 'The body is nested too deeply.'],
  ['half of a form', prompt, FORM_TYPE, 400, 'The body is not a valid multipart form.'],
  [
    'as much JSON as there may be',
    padded('{"prompt":5', '}', 1000),
    JSON_TYPE,
    422,
    'The request input is invalid.',
  ],
  ['more JSON', padded('{"prompt":5', '}', 1001), JSON_TYPE, 413, 'The request body is too large.'],
  [
    'more than JSON in a form',
    `${part('name="n"', 'x'.repeat(1500))}--b--`,
    FORM_TYPE,
    422,
    'The request input is invalid.',
  ],
  [
    'more in a form',
    `${part('name="n"', 'x'.repeat(2000))}--b--`,
    FORM_TYPE,
    413,
    'The request body is too large.',
  ],
])('a submit’s body may be %s', async (_what, body, contentType, status, said) => {
  expect(await sent(body, contentType)).toEqual([status, said]);
});

test.each([
  ['image/png', 'image/png'],
  ['', 'application/octet-stream'],
])('a file of a form that calls itself %j is served as %s', async (type, served) => {
  const file = part(`name="image_urls"; filename="a.png"\r\nContent-Type: ${type}`, '123');
  const [status, input] = await sent(`${prompt}${file}--b--`, FORM_TYPE);
  expect(status).toBe(201);
  const [url = ''] = (input as { image_urls: string[] }).image_urls;
  const response = await fetch(url);
  expect([response.headers.get('content-type'), await response.text()]).toEqual([served, '123']);
});

test('a caller that goes away in the middle of its body is nobody’s mistake', async () => {
  const { host, port, apiKey } = emulator;
  const socket = connect(port, host);
  socket.write(
    `POST /api/v1/generation/darkroom/image-l HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: 100\r\n\r\n{"pro`,
  );
  const { counters } = emulator.service();
  const submits = counters.snapshot().requests['submit'] ?? 0;
  await until(() => counters.snapshot().requests['submit'] === submits + 1);
  const answers = counters.snapshot().answers;
  socket.destroy();
  await sent('{}', JSON_TYPE); // answered after the other one's end was noticed
  expect(counters.snapshot().answers).toEqual({ ...answers, 'submit 422': (answers['submit 422'] ?? 0) + 1 });
  expect(logged).toEqual([]);
});

test('a file that cannot be kept is the emulator’s own mistake, not its caller’s', async () => {
  const media = join(folder, 'emulator.db-media');
  await rm(media, { recursive: true, force: true });
  await writeFile(media, 'in the way');
  const file = part('name="image_urls"; filename="a.png"\r\nContent-Type: image/png', '123');
  expect(await sent(`${prompt}${file}--b--`, FORM_TYPE)).toEqual([
    500,
    'The emulator failed; its log says why.',
  ]);
  expect(logged).toEqual([expect.stringMatching(/POST .*image-l.*(?:ENOTDIR|EEXIST)/s)]);
});

/** Text of that many bytes, blanks in the middle. */
function padded(start: string, end: string, bytes: number): string {
  return start + ' '.repeat(bytes - start.length - end.length) + end;
}
