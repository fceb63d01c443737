import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cacheDirectory, partialFolder } from '../../../src/local/temporal/cache-directory.ts';
import { readPinnedCli } from '../../../src/local/temporal/pinned-cli.ts';

test.each([
  ['linux', { HOME: '/home/ann' }, '/home/ann/.cache/darkroom'],
  ['darwin', { HOME: '/Users/ann' }, '/Users/ann/Library/Caches/darkroom'],
  ['win32', { LOCALAPPDATA: '/ann/Local', HOME: '/ann' }, '/ann/Local/darkroom'],
  ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: '/xdg' }, '/xdg/darkroom'],
  ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: '' }, '/home/ann/.cache/darkroom'],
  ['linux', { HOME: '/home/ann', XDG_CACHE_HOME: '/xdg', DARKROOM_CACHE: '/mine' }, '/mine'],
] as const)('on %s with %o the cache is %s', (platform, env, expected) => {
  expect(cacheDirectory(env, platform)).toBe(expected);
});

test('the cached binary is named for the CLI version, the platform and the pinned dependencies', async () => {
  const linux = await readPinnedCli('linux', 'x64');
  expect(linux.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(linux.fileName).toMatch(new RegExp(`^temporal-${linux.version}-linux-x64-[0-9a-f]{8}$`));
  const windows = await readPinnedCli('win32', 'arm64');
  expect(windows.fileName).toBe(`${linux.fileName.replace('linux-x64', 'win32-arm64')}.exe`);
});

test('what a process that is gone left half-made is removed, what others are making stays', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'darkroom-cache-'));
  onTestFinished(() => rm(cache, { recursive: true }));
  // Above the largest process id of Linux (2^22) and of macOS.
  const abandoned = `.partial-99999999-ab@${hostname()}`;
  const others = [`.partial-${process.pid}-cd@${hostname()}`, '.partial-99999999-ef@elsewhere', 'temporal-1'];
  for (const name of [abandoned, ...others]) await mkdir(join(cache, name));

  const mine = await partialFolder(cache);

  expect((await readdir(cache)).map((name) => join(cache, name))).toEqual(
    expect.arrayContaining([mine, ...others.map((name) => join(cache, name))]),
  );
  expect(await readdir(cache)).not.toContain(abandoned);
});
