import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, constants, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  type Download,
  type DownloadOptions,
  type DownloadRules,
  download,
} from '../../../src/outputs/download/download.ts';
import type { ResolveAll } from '../../../src/outputs/download/guarded-lookup.ts';
import { isPublicAddress } from '../../../src/outputs/download/public-address.ts';
import { eventually } from '../../eventually.ts';
import { heapInUse } from '../../webhooks/heap.ts';
import { type Origin, serving, startOrigin } from '../origin.ts';

const ANYWHERE: DownloadRules = { allowPrivate: true };
/** As in production, but the test's own server counts as the public internet. */
const GUARDED: DownloadRules = {
  allowPrivate: false,
  isPublic: (address) => address === '127.0.0.1' || isPublicAddress(address),
};

async function fetched(url: string, rules = ANYWHERE, options: DownloadOptions = {}): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of (await download(url, rules, options)).body) parts.push(part);
  return Buffer.concat(parts);
}

function resolving(...answers: string[][]): ResolveAll & { names: string[] } {
  const names: string[] = [];
  const resolve: ResolveAll = (name, _options, callback) => {
    const addresses = answers[Math.min(names.push(name), answers.length) - 1] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(resolve, { names });
}

it('streams a file and tells its type, its length and its progress', async () => {
  const bytes = Buffer.alloc(300_000, 7);
  const origin = await startOrigin(serving(bytes, 'Image/PNG; charset=binary'));
  const seen: number[] = [];
  const answer = await download(`${origin.url}/a.png?signature=s`, ANYWHERE, {
    onProgress: (n) => seen.push(n),
  });
  expect(answer).toMatchObject({ contentType: 'image/png', contentLength: 300_000, endMarked: true });
  const parts: Uint8Array[] = [];
  for await (const part of answer.body) parts.push(part);
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  expect(seen.at(-1)).toBe(300_000);
  await eventually(() => expect(origin.open()).toBe(0));
});

it.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
  [
    'is shorter than announced',
    (_, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('x'.repeat(400), () => response.destroy());
    },
  ],
  [
    'breaks off within a chunked body',
    (_, response) => {
      response.write('x'.repeat(400), () => response.destroy());
    },
  ],
  ['never comes', (request) => request.socket.destroy()],
  ['does not begin', () => undefined],
  [
    'stalls',
    (_, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('x');
    },
  ],
])('fails for now when the body %s', async (_, answer) => {
  const origin = await startOrigin(answer);
  const promise = fetched(`${origin.url}/a.png?signature=secret`, ANYWHERE, { idleTimeout: 200 });
  await expect(promise).rejects.toMatchObject({
    name: 'OutputDelayed',
    kind: 'delayed',
    message: expect.stringMatching(/^the output http:\/\/127\.0\.0\.1:\d+\/a\.png (?!.*secret)/),
  });
  await eventually(() => expect(origin.open()).toBe(0));
});

it('fails for now when a drop at a time is all that comes', async () => {
  const origin = await startOrigin((_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  await expect(fetched(origin.url, ANYWHERE, { idleTimeout: 200 })).rejects.toMatchObject({
    name: 'OutputDelayed',
    message: expect.stringContaining('arrives at less than 8192 bytes a second'),
  });
});

it('fails for now when a drop at a time takes longer than the whole download may', async () => {
  const origin = await startOrigin((_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  await expect(fetched(origin.url, ANYWHERE, { timeout: 150 })).rejects.toMatchObject({
    name: 'OutputDelayed',
    message: expect.stringContaining('did not arrive in time'),
  });
});

it.each([
  [410, 'OutputGone'],
  [401, 'OutputDelayed'],
  [403, 'OutputDelayed'],
  [404, 'OutputDelayed'],
  [408, 'OutputDelayed'],
  [429, 'OutputDelayed'],
  [500, 'OutputDelayed'],
  [503, 'OutputDelayed'],
  [204, 'OutputDelayed'],
  [304, 'OutputDelayed'],
])('takes status %i as %s', async (status, name) => {
  const origin = await startOrigin((_, response) => {
    response.writeHead(status, { 'retry-after': '7' }).end();
  });
  await expect(fetched(origin.url)).rejects.toMatchObject(
    name === 'OutputGone' ? { name, status } : { name, status, retryAfter: 7_000 },
  );
});

it('stops at the size limit, announced or not', async () => {
  const announced = await startOrigin(serving(Buffer.alloc(5_000)));
  await expect(download(announced.url, ANYWHERE, { maxBytes: 4_999 })).rejects.toMatchObject({
    name: 'OutputTooLarge',
    kind: 'refused',
  });
  let sent = 0;
  const endless = await startOrigin((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
    };
    response.on('drain', more);
    more();
  });
  await expect(fetched(endless.url, ANYWHERE, { maxBytes: 1_000_000 })).rejects.toThrow(
    'larger than the limit of 1000000 bytes',
  );
  await eventually(() => expect(endless.open()).toBe(0));
  expect(sent).toBeLessThan(50_000_000);
  const bomb = await startOrigin(
    serving(gzipSync(Buffer.alloc(3_000_000)), 'image/png', { 'content-encoding': 'gzip' }),
  );
  await expect(fetched(bomb.url, ANYWHERE, { maxBytes: 1_000_000 })).rejects.toThrow('larger than the limit');
});

it('holds a body in chunks of one byte by its bytes, not by its pieces, while it waits to be read', async () => {
  const chunks = 'a picture'.repeat(30_000).replaceAll(/./g, '1\r\n$&\r\n');
  const origin = await startOrigin(({ socket }) => {
    socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  });
  const heap = heapInUse();
  const answers = await Promise.all(Array.from({ length: 10 }, () => download(origin.url, ANYWHERE)));
  const iterators = answers.map(({ body }) => body[Symbol.asyncIterator]());
  // What each holds by then has come while another one was read.
  for (const iterator of iterators) expect((await iterator.next()).done).toBe(false);
  await (await fetch(origin.url)).text();
  expect(heapInUse() - heap).toBeLessThan(20 * 1024 * 1024);
  await Promise.all(answers.map((answer) => answer.close()));
});

it('asks for no content encoding, and undoes one that comes all the same', async () => {
  const asked: (string | undefined)[] = [];
  const serve = serving(gzipSync('a picture'), 'image/png', { 'content-encoding': 'gzip' });
  const origin = await startOrigin((request, response) => {
    asked.push(request.headers['accept-encoding']);
    serve(request, response);
  });
  expect((await fetched(origin.url)).toString()).toBe('a picture');
  expect(asked).toEqual(['identity']);
  const broken = await startOrigin(serving('no gzip', 'image/png', { 'content-encoding': 'gzip' }));
  await expect(fetched(broken.url)).rejects.toMatchObject({ name: 'OutputDelayed' });
});

/** Two MiB in some hundred bytes, for a decoder with a window of 2 ** `log` bytes. */
async function zstdOf(log: number): Promise<Buffer> {
  const encoder = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: log } });
  encoder.write(Buffer.alloc(1024 ** 2)); // in two writes: its length is not known, so its window is as it was said
  encoder.end(Buffer.alloc(1024 ** 2));
  return await buffer(encoder);
}

it('decodes in a window of 8 MiB, and refuses a file that asks for 128 MiB in a few bytes', async () => {
  const fitting = await startOrigin(serving(await zstdOf(23), 'image/png', { 'content-encoding': 'zstd' }));
  expect((await fetched(fitting.url)).length).toBe(2 * 1024 ** 2);
  const greedy = await startOrigin(serving(await zstdOf(27), 'image/png', { 'content-encoding': 'zstd' }));
  await expect(fetched(greedy.url)).rejects.toMatchObject({
    name: 'OutputDelayed',
    message: 'the output is not valid zstd, or asks for a larger window than 8 MiB',
  });
});

it.each([
  ['br', 6],
  ['zstd', 12],
])('decodes as many files in %s at a time as there is memory for windows', async (encoding, most) => {
  const encode = { br: brotliCompressSync, zstd: zstdCompressSync }[encoding];
  const bytes = encode?.(randomBytes(300_000)) ?? Buffer.alloc(0);
  const origin = await startOrigin((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding, 'content-length': bytes.length });
    response.write(bytes.subarray(0, 200_000)); // the rest never comes
  });
  const begun: Download[] = [];
  const begin = async (): Promise<void> => {
    const answer = await download(origin.url, ANYWHERE);
    await answer.body[Symbol.asyncIterator]().next();
    begun.push(answer);
  };
  for (let i = 0; i < most; i++) await begin();
  await expect(begin()).rejects.toMatchObject({
    name: 'OutputDelayed',
    message: `the output is encoded as ${encoding}, and this worker is busy decoding other files`,
  });
  await begun.pop()?.close();
  await eventually(begin);
  await Promise.all(begun.map((answer) => answer.close()));
});

it('ends with the reason of its signal', async () => {
  const origin = await startOrigin((_, response) => {
    response.write('x');
  });
  const reason = new Error('canceled');
  const controller = new AbortController();
  const promise = fetched(origin.url, ANYWHERE, {
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  });
  await expect(promise).rejects.toBe(reason);
  await eventually(() => expect(origin.open()).toBe(0));
});

it.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://127.0.0.1./',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[fd00::1]/',
  'http://[ff02::1]/',
  'http://[4000::1]/',
  'ftp://files.example/a.png',
  'file:///etc/passwd',
  'https://user:pw@files.example/a.png',
  'https://user@files.example/a.png',
  'no URL',
])('refuses %s', async (url) => {
  const resolve = resolving([]);
  await expect(download(url, { allowPrivate: false, resolve })).rejects.toMatchObject({
    name: 'OutputRefused',
  });
  expect(resolve.names).toEqual([]);
});

it('takes public addresses', () => {
  expect(['8.8.8.8', '151.101.1.69', '2606:4700::1111', '2a00:1450::1'].filter(isPublicAddress)).toHaveLength(
    4,
  );
});

it.each([
  ['a private one', ['10.0.0.1']],
  ['loopback as IPv6', ['::1']],
  ['an IPv4 address in IPv6', ['::ffff:127.0.0.1']],
  ['a public and a private one', ['8.8.8.8', '192.168.0.1']],
])('refuses a name whose address is %s, before it connects', async (_, addresses) => {
  const origin = await startOrigin(serving('secret'));
  const resolve = resolving(addresses);
  await expect(
    download(`http://cdn.example:${origin.port}/`, { allowPrivate: false, resolve }),
  ).rejects.toMatchObject({
    name: 'OutputRefused',
    message: expect.stringContaining('cdn.example resolves to'),
  });
  expect(resolve.names).toEqual(['cdn.example']);
  expect(origin.asked).toEqual([]);
});

it("refuses localhost by the system's own name resolution", async () => {
  const origin = await startOrigin(serving('secret'));
  await expect(download(`http://localhost:${origin.port}/`, { allowPrivate: false })).rejects.toMatchObject({
    name: 'OutputRefused',
  });
  expect(origin.asked).toEqual([]);
});

it('refuses a name that turns private between two requests', async () => {
  const origin = await startOrigin((_, response) => {
    response.writeHead(302, { location: `http://cdn.example:${origin.port}/again` }).end();
  });
  const resolve = resolving(['127.0.0.1'], ['127.0.0.2']);
  await expect(fetched(`http://cdn.example:${origin.port}/a`, { ...GUARDED, resolve })).rejects.toMatchObject(
    {
      name: 'OutputRefused',
      message: expect.stringContaining('127.0.0.2'),
    },
  );
  expect(origin.asked).toEqual(['/a']);
});

it('connects to the very address that was checked', async () => {
  const origin = await startOrigin(serving('picture'));
  const resolve = resolving(['127.0.0.1'], ['10.0.0.1']);
  expect((await fetched(`http://cdn.example:${origin.port}/a`, { ...GUARDED, resolve })).toString()).toBe(
    'picture',
  );
  expect(resolve.names).toEqual(['cdn.example']);
});

it('fails for now when a name has no address', async () => {
  const resolve = resolving([]);
  await expect(fetched('http://cdn.example/a', { ...GUARDED, resolve })).rejects.toMatchObject({
    name: 'OutputDelayed',
  });
});

/** Redirects `/n` to `/n-1` and serves `/0`. */
function countdown(request: IncomingMessage, response: ServerResponse): void {
  const left = Number(request.url?.slice(1));
  if (left === 0) serving('picture')(request, response);
  else response.writeHead(307, { location: `${left - 1}` }).end('moved');
}

it('follows five redirects and not six', async () => {
  const origin = await startOrigin(countdown);
  expect((await fetched(`${origin.url}/5`, GUARDED)).toString()).toBe('picture');
  await expect(fetched(`${origin.url}/6`, GUARDED)).rejects.toThrow('redirects more than 5 times');
  expect(origin.asked).toHaveLength(12);
});

it.each([
  'http://127.0.0.2:$port/',
  'http://[::1]:$port/',
  'http://[::ffff:127.0.0.1]:$port/',
  '//10.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'http://user:pw@127.0.0.1:$port/',
])('refuses a redirect to %s', async (location) => {
  const origin: Origin = await startOrigin((_, response) => {
    response.writeHead(302, { location: location.replace('$port', String(origin.port)) }).end();
  });
  await expect(fetched(`${origin.url}/start`, GUARDED)).rejects.toMatchObject({ name: 'OutputRefused' });
  expect(origin.asked).toEqual(['/start']);
});
