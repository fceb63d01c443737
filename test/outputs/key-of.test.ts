import { describe, expect, it } from 'vitest';
import type { OutputLocation } from '../../src/outputs/output-location.ts';
import { createPublicUrl, keyOf, parsePublicOutputs } from '../../src/outputs/public-outputs.ts';

const folder: OutputLocation = { kind: 'folder', path: '/srv/outputs' };
const bucket: OutputLocation = { kind: 's3', bucket: 'media', prefix: 'film', pathStyle: true };
const whole: OutputLocation = { ...bucket, prefix: '' };

it.each<[uri: string, location: OutputLocation, key: string | undefined]>([
  ['file:///srv/outputs/a/b%20c.png', folder, 'a/b c.png'],
  ['file:///srv/outputs', folder, undefined],
  ['file:///srv/outputs2/a.png', folder, undefined],
  ['file:///srv/a.png', folder, undefined],
  ['file://elsewhere/srv/outputs/a.png', folder, undefined],
  ['s3://srv/outputs/a.png', folder, undefined],
  ['s3://media/film/a/b.png', bucket, 'a/b.png'],
  ['s3://media/film/', bucket, undefined],
  ['s3://media/films/a.png', bucket, undefined],
  ['s3://other/film/a.png', bucket, undefined],
  ['s3://media/film/a.png', whole, 'film/a.png'],
  ['s3://media2/a.png', whole, undefined],
])('%s in %j has the key %s', (uri, location, key) => {
  expect(keyOf(location, uri)).toBe(key);
});

it('a file in a folder has no signed URL', async () => {
  const publicUrl = createPublicUrl(folder, { kind: 'presigned', life: 60_000 });
  expect(await publicUrl('file:///srv/outputs/a.png')).toBeUndefined();
});

describe('DARKROOM_PUBLIC_OUTPUTS', () => {
  const hour = 3_600_000;

  it.each([
    ['presigned', { kind: 'presigned', life: 24 * hour }],
    ['presigned:1m', { kind: 'presigned', life: 60_000 }],
    ['presigned:168h', { kind: 'presigned', life: 168 * hour }],
    ['https://files.example/out//', { kind: 'base', url: 'https://files.example/out' }],
    ['http://files.example', { kind: 'base', url: 'http://files.example' }],
  ])('may be %s', (text, is) => {
    expect(parsePublicOutputs(text)).toEqual(is);
  });

  it.each([
    ['presigned:', 'has no time from 1m to 168h'],
    ['presigned:59s', 'has no time from 1m to 168h'],
    ['presigned:169h', 'has no time from 1m to 168h'],
    ['presigned6h', 'must be the public address of the stored files, or presigned'],
    ['ftp://files.example', 'must be the public address of the stored files, or presigned'],
    ['https://files.example/?x', 'must be an address alone, without a query, a user name or a password'],
    ['https://files.example/#x', 'must be an address alone, without a query, a user name or a password'],
    ['https://me@files.example', 'must be an address alone, without a query, a user name or a password'],
    ['https://:pw@files.example', 'must be an address alone, without a query, a user name or a password'],
  ])('may not be %s', (text, wrong) => {
    expect(parsePublicOutputs(text)).toContain(wrong);
  });
});
