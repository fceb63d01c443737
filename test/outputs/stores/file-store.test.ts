import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { createFileStore } from '../../../src/outputs/stores/file-store.ts';
import { folderFailure } from '../../../src/outputs/stores/folder-failure.ts';
import { patience } from '../../patience.ts';
import { emptyFolder, filesUnder } from '../folder.ts';

const PNG = { contentType: 'image/png' };

async function* chunks(...parts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
  }
}

it('stores a stream under its key, with size, SHA-256 and a file URL', async () => {
  const folder = join(await emptyFolder(), 'my outputs');
  const store = createFileStore(folder);
  const stored = await store.put('default/a+b/t-0.png', chunks('hello ', 'world'), PNG);
  expect(stored).toEqual({
    uri: pathToFileURL(join(folder, 'default/a+b/t-0.png')).href,
    bytes: 11,
    sha256: createHash('sha256').update('hello world').digest('hex'),
  });
  expect(await readFile(fileURLToPath(stored.uri), 'utf8')).toBe('hello world');
  expect(await filesUnder(folder)).toEqual(['default/a+b/t-0.png']);
});

it('finds a stored file without its extension, and reads parts of it', async () => {
  const store = createFileStore(await emptyFolder());
  expect(await store.find('w/t-0')).toBeUndefined();
  const stored = await store.put('w/t-0.png', chunks('hello world'), PNG);
  await store.put('w/t-01.png', chunks('another'), PNG);
  expect(await store.find('w/t-0')).toEqual({ key: 'w/t-0.png', stored });
  expect(Buffer.from(await store.read('w/t-0.png', 6, 99)).toString()).toBe('world');
});

it('does not take an empty file for a stored one', async () => {
  const store = createFileStore(await emptyFolder());
  await store.put('w/t-0.png', chunks(), PNG);
  expect(await store.find('w/t-0')).toBeUndefined();
});

it('lists the files of a folder with their ages', async () => {
  const folder = await emptyFolder();
  const store = createFileStore(folder);
  expect(await store.list('w/x')).toEqual([]);
  await store.put('w/x/t-0.png', chunks('hello'), PNG);
  await store.put('w/xy/t-1.png', chunks('another'), PNG);
  await writeFile(join(folder, 'w/x/.t-2.png.part'), 'half');
  await utimes(join(folder, 'w/x/t-0.png'), 1_000, 1_000);
  expect(await store.list('w/x')).toEqual([{ key: 'w/x/t-0.png', storedAt: 1_000_000 }]);
});

it('leaves nothing behind, and the old file in place, when the source fails midway', async () => {
  const folder = await emptyFolder();
  const store = createFileStore(folder);
  const broken = new Error('connection lost');
  await expect(store.put('w/new.png', chunks('half', broken), PNG)).rejects.toBe(broken);
  expect(await filesUnder(folder)).toEqual([]);
  await store.put('w/old.png', chunks('complete'), PNG);
  await expect(store.put('w/old.png', chunks('half', broken), PNG)).rejects.toBe(broken);
  expect(await readFile(join(folder, 'w/old.png'), 'utf8')).toBe('complete');
  expect(await filesUnder(folder)).toEqual(['w/old.png']);
});

it('shows one whole file when the same key is put many times at once', async () => {
  const folder = await emptyFolder();
  const store = createFileStore(folder);
  const texts = Array.from({ length: 12 }, (_, index) => String(index % 10).repeat(200_000));
  await Promise.all(
    texts.map((text) => store.put('w/t-0.png', chunks(...(text.match(/.{1,9999}/g) ?? [])), PNG)),
  );
  expect(await filesUnder(folder)).toEqual(['w/t-0.png']);
  expect(texts).toContain(await readFile(join(folder, 'w/t-0.png'), 'utf8'));
});

it('shows no torn file when the process is killed while it writes, and cleans up after it later', async () => {
  const folder = await emptyFolder();
  const module = pathToFileURL(join(import.meta.dirname, '../../../src/outputs/stores/file-store.ts')).href;
  const child = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { createFileStore } from ${JSON.stringify(module)};
     async function* endless() { for (;;) { yield Buffer.alloc(1024); await new Promise((r) => setTimeout(r, 5)); } }
     await createFileStore(${JSON.stringify(folder)}).put('w/t-0.png', endless(), { contentType: 'image/png' });`,
  ]);
  const exited = once(child, 'exit');
  await vi.waitFor(async () => expect(await filesUnder(folder)).toHaveLength(1), {
    timeout: patience(20_000),
  });
  child.kill('SIGKILL');
  await exited;
  const [part = ''] = await filesUnder(folder);
  expect(part).toMatch(/^w\/\..+\.part$/);
  const store = createFileStore(folder);
  expect(await store.find('w/t-0')).toBeUndefined();
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  await utimes(join(folder, part), longAgo, longAgo);
  await store.put('w/t-0.png', chunks('whole'), PNG);
  expect(await filesUnder(folder)).toEqual(['w/t-0.png']);
});

it('names the folder and the fix when the disk does not take a file', async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'outputs'), 'a file in the way');
  const store = createFileStore(join(folder, 'outputs'));
  const trouble = expect.objectContaining({
    name: 'OutputStoreFailed',
    kind: 'delayed',
    message: expect.stringMatching(/the folder .*outputs.*(file).*choose another folder/),
  });
  await expect(store.put('w/t-0.png', chunks('x'), PNG)).rejects.toEqual(trouble);
  await expect(store.check()).rejects.toEqual(trouble);
  const full = folderFailure(Object.assign(new Error('write'), { code: 'ENOSPC' }), '/srv/outputs');
  expect(full.message).toBe(
    'cannot use the folder /srv/outputs for outputs: the disk is full [ENOSPC]; free some space there or choose a bigger disk',
  );
});

it('passes its check in a folder that is still to be made, and leaves no trace there', async () => {
  const folder = join(await emptyFolder(), 'a/b');
  await createFileStore(folder).check();
  expect(await filesUnder(folder)).toEqual([]);
});

it.runIf(existsSync('/proc/self'))('fails its check at once where no folder can be made', async () => {
  await expect(createFileStore('/proc/outputs/of/ours').check()).rejects.toThrow(
    'cannot use the folder /proc/outputs/of/ours for outputs',
  );
});

it('makes its folder beside others that make it at the same time', async () => {
  const folder = join(await emptyFolder(), 'a/b/c');
  await Promise.all(Array.from({ length: 8 }, () => createFileStore(folder).check()));
  expect(await filesUnder(folder)).toEqual([]);
});

it('refuses keys that lead out of its folder', async () => {
  const folder = await emptyFolder();
  await mkdir(join(folder, 'outputs'));
  const store = createFileStore(join(folder, 'outputs'));
  for (const key of ['../x.png', '/x.png', 'w/../../outputs2/x.png', '']) {
    await expect(store.put(key, chunks('x'), PNG)).rejects.toThrow('leads out of the outputs folder');
  }
  expect(await filesUnder(folder)).toEqual([]);
});
