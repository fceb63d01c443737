import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { TINY_MEDIA } from '../../../emulator/src/media/tiny-media.ts';
import { parseOutputLocation } from '../../../src/outputs/output-location.ts';
import { storeOutput } from '../../../src/outputs/store-output.ts';
import { createOutputStore } from '../../../src/outputs/stores/create-store.ts';
import type { OutputStore } from '../../../src/outputs/stores/output-store.ts';
import { patience } from '../../patience.ts';
import { emptyFolder } from '../folder.ts';
import { serving, startOrigin } from '../origin.ts';
import { s3Server, startS3 } from './s3-server.ts';

const MP4 = { contentType: 'video/mp4' };
const KEY = 'default/generation+x/t-0.mp4';

const executable = await s3Server();
/** The S3 server needs Go, once. */
const NO_SERVER = executable === undefined;
const WHY = NO_SERVER
  ? ' (skipped: the S3 server is built with Go, which is not installed or cannot fetch it)'
  : '';

function storeAt(text: string): OutputStore {
  const location = parseOutputLocation(text);
  if (typeof location === 'string') throw new Error(location);
  return createOutputStore(location);
}

async function* repeated(chunk: Uint8Array, times: number, failure?: Error): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < times; index += 1) yield chunk;
  if (failure !== undefined) throw failure;
}

it.skipIf(NO_SERVER)(
  `stores a file of many parts with its SHA-256, finds it, and reads within it${WHY}`,
  async () => {
    await startS3(executable ?? '', 'media');
    vi.stubEnv('TMPDIR', await emptyFolder());
    const store = storeAt('s3://media/dark/room');
    const part = Buffer.alloc(1_000_000, 'abcdefg');
    expect(await store.find('default/generation+x/t-0')).toBeUndefined();
    const stored = await store.put(KEY, repeated(part, 20), MP4);
    expect(stored).toEqual({
      uri: `s3://media/dark/room/${KEY}`,
      bytes: 20_000_000,
      sha256: createHash('sha256')
        .update(Buffer.concat(Array.from({ length: 20 }, () => part)))
        .digest('hex'),
    });
    expect(await store.find('default/generation+x/t-0')).toEqual({ key: KEY, stored });
    expect(await store.find('default/generation+x/t')).toBeUndefined();
    const [listed, ...more] = await store.list('default/generation+x');
    expect([listed?.key, more]).toEqual([KEY, []]);
    expect(Math.abs((listed?.storedAt ?? 0) - Date.now())).toBeLessThan(3_600_000);
    expect(await store.list('default/generation')).toEqual([]);
    expect(Buffer.from(await store.read(KEY, 999_998, 1_000_003)).toString()).toBe(
      Buffer.concat([part, part]).subarray(999_998, 1_000_003).toString(),
    );
    const [again] = await Promise.all([
      store.put(KEY, repeated(part, 1), MP4),
      store.put(KEY, repeated(part, 1), MP4),
    ]);
    expect(await store.find('default/generation+x/t-0')).toEqual({ key: KEY, stored: again });
    const broken = new Error('connection lost');
    await expect(store.put(KEY, repeated(part, 12, broken), MP4)).rejects.toBe(broken);
    expect((await store.find('default/generation+x/t-0'))?.stored).toEqual(again);
    expect(await readdir(process.env['TMPDIR'] ?? '')).toEqual([]);
    await store.put('w/x/empty.mp4', repeated(part, 0), MP4);
    expect(await store.find('w/x/empty')).toBeUndefined();
  },
);

it.skipIf(NO_SERVER)(`serves a whole output: downloaded once, measured in the bucket${WHY}`, async () => {
  await startS3(executable ?? '', 'media');
  const origin = await startOrigin(serving(TINY_MEDIA.video.bytes));
  const asset = { url: origin.url, contentType: null, width: null, height: null, duration: null };
  const deps = { store: storeAt('s3://media'), downloads: { allowPrivate: true } };
  const output = await storeOutput(asset, 'w/x/t-0', deps);
  expect(output).toMatchObject({
    contentType: 'video/mp4',
    width: 16,
    duration: 1,
    stored: { uri: 's3://media/w/x/t-0.mp4' },
  });
  expect(await storeOutput(asset, 'w/x/t-0', deps)).toEqual(output);
  expect(origin.asked).toHaveLength(1);
});

it.skipIf(NO_SERVER)(`names a bucket that does not exist, and the fix${WHY}`, async () => {
  await startS3(executable ?? '', 'media');
  const store = storeAt('s3://elsewhere');
  const trouble = expect.objectContaining({
    name: 'OutputStoreFailed',
    message: expect.stringMatching(/^cannot use the bucket elsewhere for outputs: there is no such bucket/),
  });
  await expect(store.check()).rejects.toEqual(trouble);
  await expect(store.put(KEY, repeated(Buffer.from('x'), 1), MP4)).rejects.toEqual(trouble);
  await storeAt('s3://media').check();
});

it('has few parts of files in memory, however many files are stored at once', async () => {
  const MIB = 1024 ** 2;
  const held: { bytes: number; answer: () => void }[] = [];
  let most = 0;
  // An S3 server that takes parts and answers to them when the test says so.
  const server = await startOrigin(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length; // a body without an encoding gives bytes
    if (request.method === 'POST') {
      const name = request.url?.includes('uploads')
        ? 'InitiateMultipartUploadResult'
        : 'CompleteMultipartUploadResult';
      response.end(`<${name}><UploadId>u</UploadId><ETag>"e"</ETag></${name}>`);
      return;
    }
    held.push({ bytes, answer: () => response.setHeader('etag', '"e"').end() });
    most = Math.max(
      most,
      held.reduce((sum, one) => sum + one.bytes, 0),
    );
  });
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL_S3: server.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    TMPDIR: await emptyFolder(),
  })) {
    vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const chunk = Buffer.alloc(MIB);
  const sizes = [...Array<number>(6).fill(17), ...Array<number>(10).fill(4)];
  const [media, others] = [storeAt('s3://media'), storeAt('s3://others')];
  const putting = Promise.all(
    sizes.map((size, index) =>
      (index % 2 === 0 ? media : others).put(`w/t-${index}.mp4`, repeated(chunk, size), MP4),
    ),
  );
  // Three files of two parts at a time, and six of one.
  await vi.waitFor(() => expect(held).toHaveLength(3 * 2 + 6), { timeout: patience(10_000) });
  for (let parts = 6 * 3 + 10; parts > 0; parts -= 1) {
    await vi.waitFor(() => expect(held).not.toEqual([]), { timeout: patience(10_000), interval: 1 });
    held.shift()?.answer();
  }
  await putting;
  expect(most).toBe((3 * 2 * 8 + 6 * 4) * MIB);
});

it('tells that nothing listens at the endpoint, that credentials are missing, or the region', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', 'http://127.0.0.1:1');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', '');
  vi.stubEnv('AWS_REGION', undefined);
  await expect(storeAt('s3://media').check()).rejects.toThrow('set AWS_REGION');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  await expect(storeAt('s3://media').check()).rejects.toThrow('set AWS_ACCESS_KEY_ID');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  await expect(storeAt('s3://media').check()).rejects.toThrow(
    'nothing listens at the endpoint [ECONNREFUSED]',
  );
  vi.unstubAllEnvs();
});
