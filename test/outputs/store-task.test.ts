import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { TINY_MEDIA } from '../../emulator/src/media/tiny-media.ts';
import type { OutputAsset } from '../../src/api/records/output-assets.ts';
import { MAX_LONG_TRIES, MEMORY_LIMITS, SMALL_BYTES, STORE_LIMITS } from '../../src/outputs/limits.ts';
import { outputKeyBase } from '../../src/outputs/output-key.ts';
import { type StoreTaskDeps, storeTask } from '../../src/outputs/store-task.ts';
import { createFileStore } from '../../src/outputs/stores/file-store.ts';
import { eventually } from '../eventually.ts';
import { patience } from '../patience.ts';
import { emptyFolder, filesUnder } from './folder.ts';
import { serving, startOrigin } from './origin.ts';

const { bytes: PNG } = TINY_MEDIA.image;
const DATA_URI = `data:image/png;base64,${PNG.toString('base64')}`;

const asset = (url: string): OutputAsset => ({
  url,
  contentType: null,
  width: null,
  height: null,
  duration: null,
});

const keyBase = (file: OutputAsset): string =>
  outputKeyBase({ workspace: 'w', workflowId: 'x', taskId: 't', file });

async function setUp(more: Partial<StoreTaskDeps> = {}) {
  const folder = await emptyFolder();
  const store = createFileStore(folder);
  const put = (urls: readonly string[], deps: Partial<StoreTaskDeps> = {}) =>
    storeTask(urls.map(asset), keyBase, {
      store,
      downloads: { allowPrivate: true },
      ...more,
      ...deps,
    });
  return { folder, store, put };
}

/** Answers `/<status>` with that status, and anything else with a picture. */
function byStatus(request: IncomingMessage, response: ServerResponse): void {
  const status = Number(/^\/(\d{3})/.exec(request.url ?? '')?.[1] ?? 200);
  if (status === 200) serving(PNG)(request, response);
  else response.writeHead(status, { 'retry-after': '7' }).end();
}

it("stores a task's outputs in their order, and downloads none of them twice", async () => {
  const origin = await startOrigin(byStatus);
  const { folder, put } = await setUp();
  const urls = ['/a', '/b', '/c'].map((path) => origin.url + path);
  const result = await put(urls);
  expect(result).toMatchObject({ kind: 'stored', outputs: urls.map((url) => ({ url, width: 2 })) });
  expect(await filesUnder(folder)).toHaveLength(3);
  expect(await put(urls)).toEqual(result);
  expect(origin.asked).toHaveLength(3);
});

it('gives each output its own bytes when a later record lists them in another order, and fetches none twice', async () => {
  let isThere = false;
  const origin = await startOrigin((request, response) => {
    const [, name = ''] = /^\/(\w)/.exec(request.url ?? '') ?? [];
    if (name === 'b' && !isThere) response.writeHead(403).end();
    else serving(Buffer.concat([PNG, Buffer.from(name)]))(request, response);
  });
  const { put } = await setUp();
  const url = (name: string, signature: number): string =>
    `${origin.url}/${name}?version=1&X-Amz-Signature=${signature}&Expires=${signature}`;
  expect(await put([url('a', 1), url('b', 1), url('c', 1)])).toMatchObject({ kind: 'delayed' });
  isThere = true;
  const report = await put([url('b', 2), url('c', 2), url('a', 2)]);
  if (report.kind !== 'stored') throw new Error(report.reason);
  const ends = report.outputs.map(({ stored }) => readFileSync(new URL(stored.uri)).at(-1));
  expect(ends.map((byte = 0) => String.fromCharCode(byte))).toEqual(['b', 'c', 'a']);
  expect(origin.asked.map((path) => path.slice(0, 2)).sort()).toEqual(['/a', '/b', '/b', '/c']);
});

it('stores nothing anew where each look gives other parameters, and takes no file for another', async () => {
  const origin = await startOrigin((request, response) => {
    const id = new URL(request.url ?? '', origin.url).searchParams.get('id') ?? '';
    serving(Buffer.concat([PNG, Buffer.from(id)]))(request, response);
  });
  const { folder, put } = await setUp();
  const url = (id: string, token: number): string => `${origin.url}/file?id=${id}&token=${token}`;
  const first = await put([url('a', 1), url('b', 1)]);
  if (first.kind !== 'stored') throw new Error(first.reason);
  for (const token of [2, 3]) {
    const report = await put([url('b', token), url('a', token)]);
    if (report.kind !== 'stored') throw new Error(report.reason);
    expect(report.outputs.map(({ stored }) => stored)).toEqual(
      first.outputs.map(({ stored }) => stored).toReversed(),
    );
  }
  expect(await filesUnder(folder)).toHaveLength(2);
});

it.each([
  [403, 'delayed'],
  [404, 'delayed'],
  [408, 'delayed'],
  [429, 'delayed'],
  [500, 'delayed'],
  [503, 'delayed'],
  [410, 'gone'],
])('status %i makes an output %s, and says so without the secret of its URL', async (status, kind) => {
  const origin = await startOrigin(byStatus);
  const { put } = await setUp();
  expect(await put([`${origin.url}/${status}?signature=secret`])).toEqual({
    kind,
    status,
    url: `${origin.url}/${status}`,
    reason: `the output ${origin.url}/${status} answers with HTTP status ${status}`,
    ...(kind === 'delayed' ? { retryAfter: 7_000 } : {}),
  });
});

it.each([
  ['ftp://files.example/a.png?key=secret', 'ftp://files.example/a.png', 'is ftp: and not http'],
  ['file:///etc/passwd', 'file:///etc/passwd', 'is file: and not http'],
  ['http://127.0.0.1:9/a?key=secret', 'http://127.0.0.1:9/a', '127.0.0.1 is not a public address'],
  ['https://user:secret@files.example/a', 'https://files.example/a', 'user name or password'],
  ['http://[oops/', null, 'unreadable URL'],
  [
    `https://files.example/${'a'.repeat(9_000)}`,
    `https://files.example/${'a'.repeat(278)}`,
    '8192 characters',
  ],
  ['data:image/png;base64,%%%', 'data:image/png;base64', 'cannot be read'],
  ['data:image/png', 'data:image/png', 'cannot be read'],
])('refuses %s for good', async (url, shown, reason) => {
  const { folder, put } = await setUp({ downloads: { allowPrivate: false } });
  const result = await put([url]);
  expect(result).toEqual({
    kind: 'refused',
    url: shown,
    reason: expect.stringContaining(reason),
  });
  expect(JSON.stringify(result)).not.toContain('secret');
  expect(await filesUnder(folder)).toEqual([]);
});

it('stores what is written out in a data: URI by what it is, whatever it says of itself', async () => {
  const { folder, put } = await setUp({ downloads: { allowPrivate: false } });
  const lie = DATA_URI.replace('image/png', 'video/mp4');
  expect(await put([DATA_URI, lie, 'data:,plain%20words'])).toMatchObject({
    kind: 'delayed',
    url: 'data:',
    reason: expect.stringMatching(/plain text.* \(of the task's 3 files 2 are stored\)$/),
  });
  expect(await put([DATA_URI, lie])).toMatchObject({
    kind: 'stored',
    outputs: [
      { url: DATA_URI, contentType: 'image/png', width: 2, stored: { bytes: PNG.length } },
      { url: lie, contentType: 'image/png', width: 2 },
    ],
  });
  expect(await filesUnder(folder)).toHaveLength(2);
});

it('does not repeat a long data: URI in the result, but names the stored file', async () => {
  const { put } = await setUp();
  const long = `data:image/png;base64,${Buffer.concat([PNG, Buffer.alloc(9_000)]).toString('base64')}`;
  const result = await put([long]);
  expect(result).toMatchObject({ outputs: [{ url: expect.stringMatching(/^file:.*t-[0-9a-f]{16}\.png$/) }] });
});

it('stores what can be stored beside an output that cannot, and tells the gravest trouble', async () => {
  const origin = await startOrigin(byStatus);
  const { folder, put } = await setUp();
  const urls = ['/503', '/a', '/410', '/b'].map((path) => origin.url + path);
  expect(await put(urls)).toMatchObject({ kind: 'gone', url: urls[2] });
  expect(await put([...urls, 'ftp://files.example/'])).toMatchObject({
    kind: 'refused',
    url: 'ftp://files.example/',
  });
  expect(await filesUnder(folder)).toHaveLength(2);
  expect(origin.asked.filter((path) => path === '/a')).toHaveLength(1);
  const fresh = urls.map((url) => url.replace(/\d{3}$/, 'fresh'));
  expect(await put(fresh)).toMatchObject({ kind: 'stored' });
});

it('is delayed by a network that is away, a body that is torn and a page in place of a file', async () => {
  const origin = await startOrigin((request, response) => {
    if (request.url === '/page') serving('<!doctype html><h1>Busy</h1>', 'text/html')(request, response);
    else response.writeHead(200, { 'content-length': '1000' }).end('x', () => request.socket.destroy());
  });
  const { put } = await setUp();
  for (const url of ['http://127.0.0.1:1/a', `${origin.url}/torn`, `${origin.url}/page`]) {
    expect(await put([url])).toMatchObject({ kind: 'delayed', url });
  }
});

it.each(['/empty', '/empty.png', '/empty.txt'])(
  'is delayed by a file without any bytes: %s',
  async (path) => {
    const origin = await startOrigin(serving(Buffer.alloc(0), 'image/png'));
    const { folder, put } = await setUp();
    expect(await put([origin.url + path])).toMatchObject({ kind: 'delayed', reason: 'the output is empty' });
    expect(await filesUnder(folder)).toEqual([]);
  },
);

it('is delayed by a store that is away, with the fix', async () => {
  const origin = await startOrigin(byStatus);
  const file = join(await emptyFolder(), 'file');
  await writeFile(file, '');
  const { put } = await setUp({ store: createFileStore(file) });
  expect(await put([origin.url])).toMatchObject({
    kind: 'delayed',
    reason: expect.stringMatching(/^cannot use the folder .*; move/),
  });
});

it('refuses a task with more outputs than any model makes, before it downloads one', async () => {
  const origin = await startOrigin(byStatus);
  const { put } = await setUp();
  const urls = Array.from({ length: 1_500 }, (_, index) => `${origin.url}/${index}?key=secret`);
  expect(await put(urls)).toEqual({
    kind: 'refused',
    reason: 'the task lists 1500 outputs, more than the 64 that are stored of one',
    url: `${origin.url}/64`,
  });
  expect(origin.asked).toEqual([]);
  expect(await put(urls.slice(0, 64))).toMatchObject({ kind: 'stored' });
});

it('has four downloads of a task open at a time', async () => {
  const held: (() => void)[] = [];
  let most = 0;
  const origin = await startOrigin((request, response) => {
    held.push(() => serving(PNG)(request, response));
    most = Math.max(most, held.length);
  });
  const { put } = await setUp();
  const storing = put(Array.from({ length: 20 }, (_, index) => `${origin.url}/${index}`));
  for (let served = 0; served < 20; served += 1) {
    await eventually(() => expect(held.length).toBe(Math.min(4, 20 - served)));
    held.shift()?.();
  }
  expect(await storing).toMatchObject({ kind: 'stored' });
  expect(most).toBe(4);
});

it('has 48 downloads of tasks that are quick open at a time', async () => {
  const held: (() => void)[] = [];
  let open = 0;
  let most = 0;
  const origin = await startOrigin((request, response) => {
    most = Math.max(most, (open += 1));
    held.push(() => {
      open -= 1;
      serving(PNG)(request, response);
    });
  });
  const tasks = await Promise.all(Array.from({ length: 40 }, () => setUp()));
  const limits = { ...STORE_LIMITS, quick: 60_000 };
  const storing = Promise.all(tasks.map(({ put }) => put(Array<string>(4).fill(origin.url), { limits })));
  await eventually(() => expect(held).toHaveLength(MEMORY_LIMITS.quickStreams));
  for (let served = 0; served < 160; served += 1) {
    await vi.waitFor(() => expect(held).not.toEqual([]), { timeout: patience(10_000), interval: 1 });
    held.shift()?.();
  }
  expect((await storing).map(({ kind }) => kind)).toEqual(Array<string>(40).fill('stored'));
  expect(most).toBe(MEMORY_LIMITS.quickStreams);
});

it('stores quick files while sixty tasks are at slow ones, and has further slow ones come later', async () => {
  const slow = await startOrigin(() => undefined);
  const origin = await startOrigin(serving(PNG));
  const stop = new AbortController();
  const limits = { ...STORE_LIMITS, quick: 100 };
  const tasks = await Promise.all(Array.from({ length: MAX_LONG_TRIES }, () => setUp()));
  const hanging = tasks.map(({ put }) =>
    put([slow.url], { limits, options: { signal: stop.signal } }).catch(() => 'over'),
  );
  // Each makes room for the next one when it has shown that it is slow, and goes on.
  await eventually(() => expect(slow.open()).toBe(MAX_LONG_TRIES));
  const one = await setUp();
  await eventually(async () =>
    expect(await one.put([slow.url], { limits })).toMatchObject({
      kind: 'delayed',
      reason: expect.stringContaining('busy'),
      untried: true,
    }),
  );
  const [quick, short] = await Promise.all([setUp(), setUp()]);
  expect(await quick.put([origin.url])).toMatchObject({ kind: 'stored' });
  expect(await short.put([origin.url], { within: 2_500 })).toMatchObject({ kind: 'stored' });
  expect(slow.open()).toBe(MAX_LONG_TRIES);
  stop.abort();
  expect(await Promise.all(hanging)).toEqual(Array<string>(MAX_LONG_TRIES).fill('over'));
});

it('a try that turns out to be slow goes on with what it has', async () => {
  let asked = 0;
  const origin = await startOrigin((_, response) => {
    asked += 1;
    response.writeHead(200, { 'content-length': PNG.length }).write(PNG.subarray(0, 10));
    setTimeout(() => response.end(PNG.subarray(10)), 500);
  });
  const { put } = await setUp();
  const limits = { ...STORE_LIMITS, quick: 100 };
  expect(await put([origin.url], { limits })).toMatchObject({ kind: 'stored' });
  expect(asked).toBe(1);
});

it('refuses a file, and files together, that are larger than the limits, also in a later try', async () => {
  const origin = await startOrigin(serving(PNG));
  const { put } = await setUp();
  const limits = { ...STORE_LIMITS, fileBytes: PNG.length, taskBytes: PNG.length * 3 };
  const urls = ['/a', '/b', '/c', '/d'].map((path) => origin.url + path);
  expect(await put([DATA_URI], { limits: { ...limits, fileBytes: PNG.length - 1 } })).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('larger than the limit'),
  });
  const together = { kind: 'refused', reason: expect.stringMatching(/are together larger.*3 are stored/) };
  expect(await put(urls, { limits })).toMatchObject(together);
  expect(await put(urls, { limits })).toMatchObject(together);
  expect(await put(urls.slice(1), { limits })).toMatchObject({ kind: 'stored' });
});

it('leaves what is large, or takes longer than it may, for a try with more time', async () => {
  const origin = await startOrigin((request, response) => {
    if (request.url === '/large') response.writeHead(200, { 'content-length': SMALL_BYTES + 1 }).write('x');
    else if (request.url === '/slow') response.writeHead(200).write('x');
    else serving(PNG)(request, response);
  });
  const { put } = await setUp();
  for (const path of ['/large', '/slow']) {
    expect(await put([origin.url + path], { within: 300 })).toMatchObject({
      kind: 'delayed',
      reason: 'it takes longer',
    });
  }
  expect(await put(['ftp://files.example/'], { within: 300 })).toMatchObject({ kind: 'refused' });
  expect(await put([origin.url], { within: 10_000 })).toMatchObject({ kind: 'stored' });
});

it('ends with the reason of its signal', async () => {
  const origin = await startOrigin(() => undefined);
  const { put } = await setUp();
  const controller = new AbortController();
  const storing = put([origin.url, origin.url], { options: { signal: controller.signal } });
  await eventually(() => expect(origin.asked).toHaveLength(2));
  const reason = new Error('canceled');
  controller.abort(reason);
  await expect(storing).rejects.toBe(reason);
  await eventually(() => expect(origin.open()).toBe(0));
});
