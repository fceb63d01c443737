import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { TINY_MEDIA } from '../../emulator/src/media/tiny-media.ts';
import type { OutputAsset } from '../../src/api/records/output-assets.ts';
import { FIRST_BYTES } from '../../src/outputs/inspection/inspection-process.ts';
import { storeOutput } from '../../src/outputs/store-output.ts';
import { createFileStore } from '../../src/outputs/stores/file-store.ts';
import type { OutputStore } from '../../src/outputs/stores/output-store.ts';
import { emptyFolder, filesUnder } from './folder.ts';
import { HANGING_ADTS } from './inspection/samples.ts';
import { serving, startOrigin } from './origin.ts';

const BASE = 'default/generation+x/t-0';
const HTML = '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head></html>';

const bare = (url: string, contentType: string | null = null): OutputAsset => ({
  url,
  contentType,
  width: null,
  height: null,
  duration: null,
});

const picture = (format: 'png' | 'jpeg' | 'webp' | 'gif') =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
    .toFormat(format)
    .toBuffer();

/** No file that was looked into before: that one would not be looked into again. */
async function newPicture(more: number): Promise<Buffer> {
  return Buffer.concat([await picture('png'), randomBytes(more)]);
}

async function setUp() {
  const folder = await emptyFolder();
  const store = createFileStore(folder);
  const put = (asset: OutputAsset, other: OutputStore = store) =>
    storeOutput(asset, BASE, { store: other, downloads: { allowPrivate: true } });
  return { folder, store, put };
}

it.each([
  ['png', 'image/png', 'png'],
  ['jpeg', 'image/jpeg', 'jpg'],
  ['webp', 'image/webp', 'webp'],
  ['gif', 'image/gif', 'gif'],
] as const)(
  'stores a %s and fills type and dimensions that the record left open',
  async (format, contentType, ext) => {
    const bytes = await picture(format);
    const origin = await startOrigin(serving(bytes));
    const { folder, put } = await setUp();
    const output = await put(bare(`${origin.url}/download?id=1`));
    expect(output).toEqual({
      url: `${origin.url}/download?id=1`,
      contentType,
      width: 30,
      height: 20,
      duration: null,
      stored: {
        uri: expect.stringMatching(new RegExp(`^file:///.*/t-0\\.${ext}$`)),
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      },
    });
    expect((await readFile(fileURLToPath(output.stored.uri))).equals(bytes)).toBe(true);
    expect(await filesUnder(folder)).toEqual([`${BASE}.${ext}`]);
  },
);

it('reads dimensions and duration out of video and sound', async () => {
  const { video, audio } = TINY_MEDIA;
  const { put: putVideo } = await setUp();
  const clip = await startOrigin(serving(video.bytes, 'application/octet-stream'));
  expect(await putVideo(bare(clip.url))).toMatchObject({
    contentType: 'video/mp4',
    width: 16,
    height: 16,
    duration: 1,
  });
  const { put: putAudio } = await setUp();
  const sound = await startOrigin(serving(audio.bytes));
  expect(await putAudio(bare(sound.url))).toMatchObject({
    contentType: 'audio/wav',
    width: null,
    duration: 0.1,
  });
});

it('leaves what the record says', async () => {
  const origin = await startOrigin(serving(TINY_MEDIA.audio.bytes));
  const { put } = await setUp();
  const asset = { url: origin.url, contentType: 'audio/x-wav', width: 1, height: 2, duration: 3 };
  expect(await put(asset)).toMatchObject(asset);
});

it('corrects a type that the bytes prove wrong, and names the file by the real one', async () => {
  const origin = await startOrigin(serving(await picture('jpeg'), 'image/png'));
  const { folder, put } = await setUp();
  expect(await put(bare(`${origin.url}/a.png`, 'image/png'))).toMatchObject({ contentType: 'image/jpeg' });
  expect(await filesUnder(folder)).toEqual([`${BASE}.jpg`]);
});

it.each([
  ['an HTML page in place of a picture', HTML, 'image/png', '/a.png', 'image/png'],
  ['an HTML page that says so', HTML, 'text/html; charset=utf-8', '/a', null],
  ['an HTML page under its own extension', HTML, 'text/html', '/a.html', null],
  ['JSON in place of a video', '{"error":"expired"}', 'video/mp4', '/a.mp4', null],
  ['JSON of which nobody spoke', '{"error":"expired"}', 'application/json', '/a', null],
  [
    'an XML error',
    '<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>',
    'application/xml',
    '/a.webp',
    null,
  ],
  ['plain text', 'upstream timed out', 'text/plain', '/a', null],
  ['a page in place of a document', HTML, 'application/json', '/a', 'application/json'],
])('refuses %s, and stores nothing', async (_, body, served, path, declared) => {
  const origin = await startOrigin(serving(body, served));
  const { folder, put } = await setUp();
  await expect(put(bare(origin.url + path, declared))).rejects.toMatchObject({
    name: 'OutputNotMedia',
    kind: 'delayed',
  });
  expect(await filesUnder(folder)).toEqual([]);
});

const OCTETS = 'application/octet-stream';

it.each([
  ['bytes of an unknown format', Buffer.from([0x93, 0, 1, 2, 3, 0xff]), null, '/a', 'bin', OCTETS],
  ['a speaker embedding', Buffer.from([0x93, 0, 1, 2]), null, '/a.safetensors', 'safetensors', OCTETS],
  ['a declared picture', Buffer.from([0, 1, 2]), 'image/x-icon', '/a', 'ico', 'image/x-icon'],
  ['a picture by its extension', Buffer.from([0, 1, 2]), 'image/x-other', '/a.jp2', 'jp2', 'image/jp2'],
  ['announced JSON', Buffer.from('{"words":[]}'), 'application/json', '/a', 'json', 'application/json'],
  ['subtitles by their extension', Buffer.from('WEBVTT\n\n'), null, '/a.vtt', 'vtt', 'text/vtt'],
])('keeps %s', async (_, bytes, declared, path, ext, contentType) => {
  const origin = await startOrigin(serving(bytes));
  const { folder, put } = await setUp();
  expect(await put(bare(origin.url + path, declared))).toMatchObject({
    contentType,
    stored: { bytes: bytes.length },
  });
  expect(await filesUnder(folder)).toEqual([`${BASE}.${ext}`]);
  expect(await put(bare(origin.url + path, declared))).toMatchObject({ contentType });
  expect(origin.asked).toHaveLength(1);
});

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

it.each<[string, string, string | null, string]>([
  ['an HTML page', HTML, 'text/html', '/a.png'],
  ['an SVG', SVG, 'image/svg+xml', '/a.svg'],
  ['an SVG by its extension', SVG, null, '/a.svg'],
  [
    'XHTML',
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`,
    'application/xhtml+xml',
    '/a',
  ],
  ['XML', '<?xml version="1.0"?><a/>', 'application/xml', '/a.xml'],
  ['a script', 'alert(1)', 'text/javascript', '/a.js'],
  ['a program for Linux', '\x7fELF\x02\x01\x01\0\0\0\0', 'image/png', '/a.png'],
  ['a program for Windows', 'MZ\x90\0\x03\0\0\0', null, '/a.exe'],
  ['a program for macOS', '\xcf\xfa\xed\xfe\x07\0\0\x01', null, '/a.mp4'],
  ['WebAssembly', '\0asm\x01\0\0\0', 'application/wasm', '/a.wasm'],
  ['an archive', 'PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0', 'application/java-archive', '/a.jar'],
  ['bytes that are called a page', '\0\x01<script>', 'text/html', '/a.html'],
])('stores %s under a name and a type that nothing runs', async (_, body, declared, path) => {
  const bytes = Buffer.from(body, 'latin1');
  const types: string[] = [];
  const { folder, store, put } = await setUp();
  const noting: OutputStore = {
    ...store,
    put: (key, source, meta) => {
      types.push(meta.contentType);
      return store.put(key, source, meta);
    },
  };
  const origin = await startOrigin(serving(bytes, declared ?? OCTETS));
  const asset = bare(origin.url + path, declared);
  expect(await put(asset, noting)).toMatchObject({ contentType: OCTETS, stored: { bytes: bytes.length } });
  expect(types).toEqual([OCTETS]);
  expect(await filesUnder(folder)).toEqual([`${BASE}.bin`]);
  expect(await put(asset)).toMatchObject({ contentType: OCTETS });
});

it('does not download again what the store already holds, not even from a dead URL', async () => {
  const origin = await startOrigin(serving(await picture('png')));
  const { put } = await setUp();
  const first = await put(bare(`${origin.url}/a`));
  const dead = { ...bare('http://127.0.0.1:1/a'), duration: 4 };
  expect(await put(dead)).toEqual({ ...first, url: dead.url, duration: 4 });
  expect(origin.asked).toHaveLength(1);
});

it('stores nothing of a truncated, empty, expired or forbidden output', async () => {
  const bytes = await picture('png');
  const origin = await startOrigin((request, response) => {
    if (request.url === '/gone') response.writeHead(403).end();
    else if (request.url === '/empty') response.end();
    else {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, -5), () => response.destroy());
    }
  });
  const { folder, store, put } = await setUp();
  await expect(put(bare(`${origin.url}/torn`))).rejects.toMatchObject({ name: 'OutputDelayed' });
  await expect(put(bare(`${origin.url}/empty`))).rejects.toMatchObject({ name: 'OutputDelayed' });
  await expect(put(bare(`${origin.url}/gone`))).rejects.toMatchObject({ name: 'OutputDelayed', status: 403 });
  await expect(
    storeOutput(bare(`${origin.url}/torn`), BASE, { store, downloads: { allowPrivate: false } }),
  ).rejects.toMatchObject({ name: 'OutputRefused' });
  expect(await filesUnder(folder)).toEqual([]);
});

it('notices a cut in a body whose end nothing marks', async () => {
  const { video, audio } = TINY_MEDIA;
  const samples = [
    video.bytes,
    audio.bytes,
    ...(await Promise.all((['png', 'jpeg', 'webp', 'gif'] as const).map(picture))),
  ];
  for (const bytes of samples) {
    const origin = await startOrigin((request, response) => {
      const part = request.url === '/torn' ? bytes.subarray(0, Math.ceil(bytes.length * 0.7)) : bytes;
      // Straight to the socket, in small pieces: HTTP/1.0 style, closed at the end.
      response.socket?.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
      for (let at = 0; at < part.length; at += 7) response.socket?.write(part.subarray(at, at + 7));
      response.socket?.end();
    });
    const { folder, put } = await setUp();
    await expect(put(bare(`${origin.url}/torn`))).rejects.toThrow('is cut off after');
    expect(await filesUnder(folder)).toEqual([]);
    expect((await put(bare(`${origin.url}/whole`))).stored.bytes).toBe(bytes.length);
  }
});

it('gives nulls for a file that only begins like a known format', async () => {
  const { put } = await setUp();
  const origin = await startOrigin(
    serving(Buffer.concat([TINY_MEDIA.video.bytes.subarray(0, 100), Buffer.alloc(9)])),
  );
  expect(await put(bare(origin.url))).toMatchObject({
    contentType: 'video/mp4',
    width: null,
    duration: null,
  });
});

it.each([
  ['does not read a small file again', 8, 0],
  ['reads a larger one', FIRST_BYTES, 1],
])('%s after storing it, to tell its dimensions', async (_, more, reads) => {
  const { store, put } = await setUp();
  const origin = await startOrigin(serving(await newPicture(more)));
  const read: number[] = [];
  const counting: OutputStore = {
    ...store,
    read: (key, start, end) => {
      if (start === 0) read.push(end);
      return store.read(key, start, end);
    },
  };
  expect(await put(bare(origin.url), counting)).toMatchObject({ width: 30, height: 20 });
  expect(read.length > 0 ? 1 : 0).toBe(reads);
});

it('stores a small file that keeps its reader in a loop', async () => {
  const { folder, put } = await setUp();
  const bytes = Buffer.concat([HANGING_ADTS, randomBytes(8)]);
  const origin = await startOrigin(serving(bytes));
  expect(await put(bare(origin.url))).toMatchObject({ contentType: 'audio/aac', duration: null });
  expect(await filesUnder(folder)).toEqual([`${BASE}.aac`]);
});

it('tells that a small file cannot be stored, whatever it is looked into for', async () => {
  const { store, put } = await setUp();
  const origin = await startOrigin(serving(await newPicture(8)));
  const trouble = new Error('the disk is full');
  await expect(put(bare(origin.url), { ...store, put: () => Promise.reject(trouble) })).rejects.toBe(trouble);
});

it('passes on the trouble of a store that cannot be read', async () => {
  const { store, put } = await setUp();
  const origin = await startOrigin(serving(await newPicture(FIRST_BYTES)));
  const trouble = new Error('the bucket is gone');
  await expect(put(bare(origin.url), { ...store, read: () => Promise.reject(trouble) })).rejects.toBe(
    trouble,
  );
});
