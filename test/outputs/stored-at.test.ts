import { afterEach, describe, expect, it, vi } from 'vitest';
import { storedAt } from '../../src/outputs/stored-at.ts';

afterEach(() => vi.unstubAllEnvs());

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
