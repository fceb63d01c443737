import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../src/outputs/stores/make-folder.ts';
import { emptyFolder } from '../folder.ts';

it('makes a folder with all above it, and tells whether it was there', async () => {
  const path = join(await emptyFolder(), 'a/b/c');
  expect(await makeFolder(path)).toBe(true);
  expect(await makeFolder(path)).toBe(false);
  expect((await stat(path)).isDirectory()).toBe(true);
});

it('makes it once, however many make it', async () => {
  const path = join(await emptyFolder(), 'a/b/c');
  const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(path)));
  expect(made.filter(Boolean)).toHaveLength(1);
});

it.each([
  ['below a file', 'file/a/b', 'ENOTDIR'],
  ['in the place of a file', 'file', 'EEXIST'],
])('makes none %s', async (_, name, code) => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(makeFolder(join(folder, name))).rejects.toMatchObject({ code });
});

it.runIf(process.platform === 'linux')('ends where nothing can be made', async () => {
  await expect(mkdir('/proc/none')).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(makeFolder('/proc/none/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
});
