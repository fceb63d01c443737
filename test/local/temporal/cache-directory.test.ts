import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cacheDirectory } from '../../../src/config/cache-directory.ts';
import { partialFolder } from '../../../src/local/temporal/partial-folder.ts';
import { readPinnedCli } from '../../../src/local/temporal/pinned-cli.ts';

test('the cache is where DARKROOM_CACHE says, else in a folder of its own', () => {
  expect(cacheDirectory({ DARKROOM_CACHE: '/mine' })).toBe('/mine');
  expect(cacheDirectory({})).toMatch(/\bdarkroom\b/);
});

test('the cached binary is named for the CLI version, the platform and the pinned dependencies', async () => {
  const linux = await readPinnedCli('linux', 'x64');
  expect(linux.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(linux.fileName).toMatch(new RegExp(`^temporal-${linux.version}-linux-x64-[0-9a-f]{8}$`));
  const windows = await readPinnedCli('win32', 'arm64');
  expect(windows.fileName).toBe(`${linux.fileName.replace('linux-x64', 'win32-arm64')}.exe`);
});

test('what was left half-made long ago is removed, what others are making stays', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'darkroom-cache-'));
  onTestFinished(() => rm(cache, { recursive: true }));
  for (const name of ['.partial-old', '.partial-new', 'temporal-1']) await mkdir(join(cache, name));
  const yesterday = new Date(Date.now() - 24 * 3_600_000);
  for (const name of ['.partial-old', 'temporal-1']) await utimes(join(cache, name), yesterday, yesterday);

  const mine = await partialFolder(cache);

  expect(await readdir(cache)).toEqual(
    expect.arrayContaining([basename(mine), '.partial-new', 'temporal-1']),
  );
  expect(await readdir(cache)).not.toContain('.partial-old');
});
