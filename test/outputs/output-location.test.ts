import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parseOutputLocation } from '../../src/outputs/output-location.ts';

const s3 = (bucket: string, prefix: string, pathStyle = false) => ({ kind: 's3', bucket, prefix, pathStyle });

it.each([
  ['./outputs', { kind: 'folder', path: resolve('outputs') }],
  [' /srv/my outputs ', { kind: 'folder', path: resolve('/srv/my outputs') }],
  ['~/outputs', { kind: 'folder', path: join(homedir(), 'outputs') }],
  ['~', { kind: 'folder', path: homedir() }],
  ['~films', { kind: 'folder', path: resolve('~films') }],
  ['films~', { kind: 'folder', path: resolve('films~') }],
  ['./my:films', { kind: 'folder', path: resolve('my:films') }],
  ['c:/films', { kind: 'folder', path: resolve('c:/films') }],
  ['file:///srv/my%20outputs/', { kind: 'folder', path: resolve('/srv/my outputs') }],
  ['s3://my-bucket', s3('my-bucket', '')],
  ['s3://my-bucket/', s3('my-bucket', '')],
  [`s3://${'b'.repeat(63)}`, s3('b'.repeat(63), '')],
  ['s3://a.1', s3('a.1', '')],
  ['s3://my-bucket///a.b/..c//', s3('my-bucket', 'a.b/..c')],
  ['S3://my-bucket/a/b/', s3('my-bucket', 'a/b')],
])('reads %s', (text, location) => {
  expect(parseOutputLocation(text, {})).toEqual(location);
});

it.each([
  ['', 'is empty; use ./outputs, file:///srv/outputs or s3://my-bucket/darkroom'],
  ['gs://bucket/x', 'unknown scheme gs:'],
  ['https://bucket.example/x', 'unknown scheme https:'],
  ['file://otherhost/srv', 'no file URL of this machine'],
  ['s3://', 'bucket ""'],
  ['s3:bucket', 'no S3 location'],
  ['s3://My_Bucket/x', 'bucket "My_Bucket"'],
  [`s3://${'b'.repeat(64)}`, 'which S3 does not allow'],
  ['s3://ab', 'which S3 does not allow'],
  ['s3://-ab', 'which S3 does not allow'],
  ['s3://ab-', 'which S3 does not allow'],
  ['s3://me:key@bucket/x', 'must not hold a user name or password'],
  ['xs3://bucket', 'unknown scheme xs3:'],
  ['s3://bucket/./b', '"."'],
  ['s3://bucket/x#y', 'no S3 location'],
  ['s3://bucket/a/../b', '".."'],
  ['s3://bucket/x?region=eu', 'no S3 location'],
])('says what is wrong with %j', (text, wrong) => {
  expect(parseOutputLocation(text, {})).toEqual(expect.stringContaining(wrong));
});

it('addresses buckets by path at another S3 server than Amazon, unless told otherwise', () => {
  const env = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000' };
  expect(parseOutputLocation('s3://bucket/x', env)).toEqual(s3('bucket', 'x', true));
  expect(parseOutputLocation('s3://bucket/x', { ...env, DARKROOM_S3_PATH_STYLE: 'false' })).toEqual(
    s3('bucket', 'x'),
  );
  expect(parseOutputLocation('s3://bucket/x', { DARKROOM_S3_PATH_STYLE: ' true ' })).toEqual(
    s3('bucket', 'x', true),
  );
});
