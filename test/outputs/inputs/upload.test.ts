import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { inputKey } from '../../../src/api/input/file-references.ts';
import { blobSource, type FileSource, openFile } from '../../../src/outputs/inputs/file-source.ts';
import { putFile } from '../../../src/outputs/inputs/put-file.ts';
import { parseOutputLocation } from '../../../src/outputs/output-location.ts';
import { createOutputStore } from '../../../src/outputs/stores/create-store.ts';
import { createFileStore } from '../../../src/outputs/stores/file-store.ts';
import { patience } from '../../patience.ts';
import { emptyFolder, filesUnder } from '../folder.ts';
import { s3Server, startS3 } from '../stores/s3-server.ts';

const MIB = 1024 ** 2;
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The same source, which tells what was read of it, and may end in the middle, as a process does that is killed. */
function watched(bytes: Buffer, diesAfter = Number.POSITIVE_INFINITY): FileSource & { uploaded(): number } {
  const source = blobSource(new Blob([new Uint8Array(bytes)]), 'video/mp4');
  let read = 0;
  return {
    ...source,
    async read(start, end) {
      // Read once to be hashed.
      if (read - bytes.length >= diesAfter) throw new Error('killed');
      read += end - start;
      return await source.read(start, end);
    },
    uploaded: () => read - bytes.length,
  };
}

describe('a folder', () => {
  it('has each file once, under its SHA-256', async () => {
    const folder = await emptyFolder();
    const store = createFileStore(folder);
    const bytes = randomBytes(10 * MIB);
    const [first, again] = [watched(bytes), watched(bytes)];
    const sha256 = sha256Of(bytes);
    expect(await putFile(store, first)).toBe(`darkroom:sha256/${sha256}`);
    expect(await putFile(store, again)).toBe(`darkroom:sha256/${sha256}`);
    expect([first.uploaded(), again.uploaded()]).toEqual([bytes.length, 0]);
    expect(await filesUnder(folder)).toEqual([`inputs/sha256/${sha256}`]);
    expect((await readFile(join(folder, inputKey(sha256)))).equals(bytes)).toBe(true);
  });

  it('gets a file once whose uploads are killed three times', { timeout: patience(60_000) }, async () => {
    const folder = await emptyFolder();
    const from = join(folder, 'film.mp4');
    const bytes = randomBytes(96 * MIB);
    await writeFile(from, bytes);
    const outputs = join(folder, 'outputs');
    const sha256 = sha256Of(bytes);
    const part = join(outputs, 'inputs/sha256', `.${sha256}.part`);
    let before = 0;
    for (let kill = 1; kill <= 3; kill += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', UPLOADING, from, outputs], {
        cwd: join(import.meta.dirname, '../../..'),
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(child, 'exit');
      const size = await vi.waitUntil(
        async () => {
          const { size: now } = await stat(part).catch(() => ({ size: 0 }));
          return now > before ? now : undefined;
        },
        { timeout: patience(20_000), interval: 2 },
      );
      child.kill('SIGKILL');
      await ended;
      before = Math.max(size, (await stat(part)).size);
    }
    const source = watched(bytes);
    expect(await putFile(createFileStore(outputs), source)).toBe(`darkroom:sha256/${sha256}`);
    expect(source.uploaded()).toBe(bytes.length - before);
    expect(before).toBeGreaterThan(0);
    expect(await filesUnder(outputs)).toEqual([`inputs/sha256/${sha256}`]);
    expect(sha256Of(await readFile(join(outputs, inputKey(sha256))))).toBe(sha256);
  });

  it('takes nothing over that is not the beginning of the file', async () => {
    const folder = await emptyFolder();
    const bytes = randomBytes(6 * MIB);
    const sha256 = sha256Of(bytes);
    const store = createFileStore(folder);
    await expect(putFile(store, watched(bytes, 4 * MIB))).rejects.toThrow('killed');
    await writeFile(join(folder, 'inputs/sha256', `.${sha256}.part`), randomBytes(5 * MIB));
    await putFile(store, watched(bytes));
    expect((await readFile(join(folder, inputKey(sha256)))).equals(bytes)).toBe(true);
  });

  it('stores nothing of a file that is written to meanwhile', async () => {
    const folder = await emptyFolder();
    const path = join(folder, 'growing.mp4');
    await writeFile(path, randomBytes(5 * MIB));
    const file = await openFile(path, 'video/mp4');
    const growing: FileSource = {
      ...file,
      async read(start, end) {
        await appendFile(path, 'x');
        return await file.read(start, end);
      },
    };
    await expect(putFile(createFileStore(join(folder, 'outputs')), growing)).rejects.toThrow(
      'changed while it was uploaded',
    );
    await file.close();
    expect((await filesUnder(join(folder, 'outputs'))).filter((name) => !name.includes('.part'))).toEqual([]);
  });

  it('takes two that upload the same at the same time', async () => {
    const folder = await emptyFolder();
    const bytes = randomBytes(20 * MIB);
    const store = createFileStore(folder);
    await Promise.all([putFile(store, watched(bytes)), putFile(store, watched(bytes))]);
    expect(await filesUnder(folder)).toEqual([inputKey(sha256Of(bytes))]);
    expect((await readFile(join(folder, inputKey(sha256Of(bytes))))).equals(bytes)).toBe(true);
  });

  it('takes no empty file', async () => {
    const folder = await emptyFolder();
    await (await open(join(folder, 'empty'), 'w')).close();
    const file = await openFile(join(folder, 'empty'), 'image/png');
    await expect(putFile(createFileStore(folder), file)).rejects.toThrow('the file is empty');
    await file.close();
  });
});

/** Uploads so slowly that it can be killed in between. */
const UPLOADING = `
  import { setTimeout as delay } from 'node:timers/promises';
  import { openFile } from './src/outputs/inputs/file-source.ts';
  import { putFile } from './src/outputs/inputs/put-file.ts';
  import { createFileStore } from './src/outputs/stores/file-store.ts';
  const file = await openFile(process.argv[1], 'video/mp4');
  let read = 0;
  const slow = { ...file, async read(start, end) {
    read += end - start;
    if (read > file.bytes) await delay(50);
    return await file.read(start, end);
  } };
  await putFile(createFileStore(process.argv[2]), slow);
`;

const executable = await s3Server();
/** The S3 server needs Go, once. */
const NO_SERVER = executable === undefined;
const WHY = NO_SERVER
  ? ' (skipped: the S3 server is built with Go, which is not installed or cannot fetch it)'
  : '';

describe.skipIf(NO_SERVER)(`a bucket${WHY}`, () => {
  it('gets each part of a file once, however often its upload ends in the middle', async () => {
    await startS3(executable ?? '', 'media');
    const location = parseOutputLocation('s3://media/dark/room');
    if (typeof location === 'string') throw new Error(location);
    const store = createOutputStore(location);
    const bytes = randomBytes(96 * MIB);
    const key = inputKey(sha256Of(bytes));
    let uploaded = 0;
    for (let kill = 1; kill <= 3; kill += 1) {
      const dying = watched(bytes, 24 * MIB);
      await expect(putFile(store, dying)).rejects.toThrow('killed');
      uploaded += dying.uploaded();
      expect(await store.stat(key)).toBeUndefined();
    }
    const last = watched(bytes);
    await putFile(store, last);
    // Two parts are under way at a time: those are lost with whoever uploads.
    expect(last.uploaded() + uploaded).toBeLessThanOrEqual(bytes.length + 3 * 2 * 8 * MIB);
    expect(await store.stat(key)).toEqual({ bytes: bytes.length });
    const there = await Promise.all([0, 20, 40].map((at) => store.read(key, at * MIB, at * MIB + 1_000)));
    for (const [index, piece] of there.entries())
      expect(Buffer.from(piece)).toEqual(bytes.subarray(index * 20 * MIB, index * 20 * MIB + 1_000));
    const again = watched(bytes);
    await putFile(store, again);
    expect(again.uploaded()).toBe(0);
  });

  it('takes a small file whole', async () => {
    await startS3(executable ?? '', 'media');
    const location = parseOutputLocation('s3://media');
    if (typeof location === 'string') throw new Error(location);
    const store = createOutputStore(location);
    const bytes = randomBytes(1_000);
    await putFile(store, watched(bytes));
    expect(Buffer.from(await store.read(inputKey(sha256Of(bytes)), 0, 1_000))).toEqual(bytes);
    expect(store.uriOf(inputKey(sha256Of(bytes)))).toBe(`s3://media/${inputKey(sha256Of(bytes))}`);
  });
});
