import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OutputLocation } from '../../src/outputs/output-location.ts';
import { createPublicUrl } from '../../src/outputs/public-outputs.ts';
import { createOutputStore } from '../../src/outputs/stores/create-store.ts';
import { s3Server, startS3 } from './stores/s3-server.ts';

const folder: OutputLocation = { kind: 'folder', path: '/srv/outputs' };
const bucket: OutputLocation = { kind: 's3', bucket: 'darkroom-test', prefix: 'film', pathStyle: true };

/** It needs Go, once. */
const executable = await s3Server();

const uri = (...path: string[]) => pathToFileURL(join('/srv', ...path)).href;

describe('the public address of a stored file', () => {
  it('is its place below the public address of the store', async () => {
    const publicUrl = createPublicUrl(folder, { kind: 'base', url: 'https://files.example/out' });
    expect(await publicUrl(uri('outputs', 'task 1', 'a#0.png'))).toBe(
      'https://files.example/out/task%201/a%230.png',
    );
    const inBucket = createPublicUrl(bucket, { kind: 'base', url: 'https://files.example' });
    expect(await inBucket('s3://darkroom-test/film/a/b.png')).toBe('https://files.example/a/b.png');
  });

  it('is none for a file that lies elsewhere, and where nothing is said', async () => {
    const publicUrl = createPublicUrl(folder, { kind: 'base', url: 'https://files.example' });
    expect(await publicUrl(uri('secrets', 'a.png'))).toBeUndefined();
    expect(await publicUrl('s3://darkroom-test/film/a.png')).toBeUndefined();
    const inBucket = createPublicUrl(bucket, { kind: 'base', url: 'https://files.example' });
    expect(await inBucket('s3://darkroom-test/films/a.png')).toBeUndefined();
    expect(await createPublicUrl(folder, undefined)(uri('outputs', 'a.png'))).toBeUndefined();
  });

  it.each([
    [true, 'https://s3.us-east-1.amazonaws.com/darkroom-test/a/b.png?'],
    [false, 'https://darkroom-test.s3.us-east-1.amazonaws.com/a/b.png?'],
  ])('is signed for its bucket, by path: %s', async (pathStyle, beginning) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test');
    vi.stubEnv('AWS_REGION', 'us-east-1');
    const plain: OutputLocation = { kind: 's3', bucket: 'darkroom-test', prefix: '', pathStyle };
    const url = await createPublicUrl(plain, { kind: 'presigned', life: 60_999 })(
      's3://darkroom-test/a/b.png',
    );
    expect(url?.startsWith(beginning)).toBe(true);
    expect(new URL(url ?? '').searchParams.get('X-Amz-Expires')).toBe('60');
  });

  it('is signed for a while, and leads to the bytes', async ({ skip }) => {
    skip(executable === undefined, 'an S3 server is built with Go, from a module that has to be fetched');
    await startS3(executable ?? '', 'darkroom-test');
    const store = createOutputStore(bucket);
    const bytes = (async function* () {
      yield new TextEncoder().encode('a picture');
    })();
    const stored = await store.put('a/b.txt', bytes, { contentType: 'text/plain' });
    const url = (await createPublicUrl(bucket, { kind: 'presigned', life: 3_600_000 })(stored.uri)) ?? '';
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('3600');
    expect(await (await fetch(url)).text()).toBe('a picture');
  });
});
