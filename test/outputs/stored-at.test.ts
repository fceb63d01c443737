import { afterEach, describe, expect, it, vi } from 'vitest';
import { storedAt } from '../../src/outputs/stored-at.ts';

afterEach(() => vi.unstubAllEnvs());

it('a stored file lies in its folder, or at its key in its bucket', () => {
  const own = { kind: 's3', bucket: 'other', prefix: 'x', pathStyle: true } as const;
  expect(storedAt('file:///srv/my%20outputs/a/b.png', own)).toEqual({
    location: { kind: 'folder', path: '/srv/my outputs/a' },
    key: 'b.png',
  });
  expect(storedAt('s3://films/a/b.png', own)).toEqual({
    location: { kind: 's3', bucket: 'films', prefix: '', pathStyle: true },
    key: 'a/b.png',
  });
  for (const uri of ['https://a.example/b.png', 's3://films', 's3://films/', 's3:///b', 'xs3://films/b'])
    expect(() => storedAt(uri, own)).toThrow(new TypeError(`${uri} is no stored file's URI`));
});

describe('a stored file in a bucket, for who has a folder as the own store,', () => {
  const pathStyle = (): unknown => {
    const { location } = storedAt('s3://bucket/films/a.png', { kind: 'folder', path: '/srv/outputs' });
    return location.kind === 's3' && location.pathStyle;
  };

  it.each([
    [{}, false],
    [{ AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000' }, true],
    [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:9000' }, true],
    [{ DARKROOM_S3_PATH_STYLE: 'true' }, true],
    [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:9000', DARKROOM_S3_PATH_STYLE: 'false' }, false],
  ])('is addressed as the settings say: %j', (env, expected) => {
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3', 'DARKROOM_S3_PATH_STYLE'])
      vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    expect(pathStyle()).toBe(expected);
  });
});
