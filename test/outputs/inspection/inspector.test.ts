import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { beforeAll, expect, it } from 'vitest';
import { Inspector, inspectMedia } from '../../../src/outputs/inspection/inspector.ts';
import type { MediaSource } from '../../../src/outputs/inspection/media-facts.ts';
import { eventually } from '../../eventually.ts';
import { patience } from '../../patience.ts';
import { mutate } from './mutate.ts';
import { HANGING_ADTS, hungryMp4, sampleFiles } from './samples.ts';

/** How many damaged files are looked at: `POISON_FILES=2000 npx vitest run test/outputs/inspection`. */
const DAMAGED = Number(process.env['POISON_FILES'] ?? 300);
/** Milliseconds. A file has 3.5 s; on a busy machine it takes a while until it gets them. */
const LONGEST = 60_000;

let files: Record<string, Uint8Array>;
beforeAll(async () => {
  files = await sampleFiles();
  // The process is up: what the tests are about is not how fast one starts.
  await inspectMedia(sourceOf(sample('png')));
});

function sourceOf(bytes: Uint8Array): MediaSource {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}

const sample = (name: string): Uint8Array => files[name] ?? new Uint8Array();

it.each([
  ['png', 'image/png', 30, null],
  ['jpeg', 'image/jpeg', 30, null],
  ['webp', 'image/webp', 30, null],
  ['gif', 'image/gif', 30, null],
  ['tiff', 'image/tiff', 30, null],
  ['avif', 'image/avif', 30, null],
  ['mp4', 'video/mp4', 16, 1.3],
  ['fragmented mp4', 'video/mp4', 16, 1.3],
  ['mov', 'video/quicktime', 16, 1.3],
  ['mkv', 'video/x-matroska', 16, 1.3],
  ['webm', 'video/webm', 16, 1.3],
  ['m4a', 'audio/mp4', null, 1.2],
  ['wav', 'audio/wav', null, 0.1],
  ['aac', 'audio/aac', null, 0.279],
  ['mp3', 'audio/mpeg', null, 0.313],
  ['ogg', 'audio/ogg', null, 0.24],
  ['flac', 'audio/flac', null, null],
])('tells what is in a file of the format %s', async (name, contentType, width, duration) => {
  expect(await inspectMedia(sourceOf(sample(name)))).toMatchObject({ contentType, width, duration });
});

it('knows a file of an unknown format as such', async () => {
  expect(await inspectMedia(sourceOf(Buffer.from('hello')))).toMatchObject({ format: null, width: null });
});

it.each([
  ['keeps its reader in a loop', () => HANGING_ADTS, 'audio/aac'],
  ['makes its reader take all memory', () => hungryMp4(sample('mp4')), 'video/mp4'],
])(
  'a file that %s has its type and nothing else, and others are looked at meanwhile',
  async (_, make, contentType) => {
    const order: string[] = [];
    const bad = inspectMedia(sourceOf(make())).finally(() => order.push('bad'));
    for (let count = 0; count < 5; count += 1) {
      expect(await inspectMedia(sourceOf(sample('png')))).toMatchObject({ width: 30 });
    }
    order.push('good');
    expect(await bad).toMatchObject({ contentType, width: null, duration: null });
    expect(order).toEqual(['good', 'bad']);
    const after = await Promise.all(Array.from({ length: 4 }, () => inspectMedia(sourceOf(sample('mp4')))));
    expect(after.map(({ width }) => width)).toEqual([16, 16, 16, 16]);
  },
);

it(`survives ${DAMAGED} damaged files, each within ${LONGEST / 1_000} s`, {
  timeout: patience(60_000 + DAMAGED * 300),
}, async () => {
  const kinds = Object.entries(files);
  const two = pLimit(2); // as many as are looked at at a time, so that none waits for another
  const slow = await Promise.all(
    Array.from({ length: DAMAGED }, (_, seed) =>
      two(async () => {
        const [name = '', bytes = new Uint8Array()] = kinds[seed % kinds.length] ?? [];
        const began = performance.now();
        await inspectMedia(sourceOf(mutate(bytes, seed)));
        const took = performance.now() - began;
        return took > LONGEST ? [`${name} by seed ${seed}: ${Math.round(took)} ms`] : [];
      }),
    ),
  );
  expect(slow.flat()).toEqual([]);
  expect(await inspectMedia(sourceOf(sample('mp4')))).toMatchObject({ width: 16 });
});

it('reads no more than 64 MiB of one file, whatever its size and whatever it says', async () => {
  const head = Buffer.from('000000146674797069736f6d0000000069736f6d35a4e9006d6f6f76', 'hex'); // a moov of 900 MB
  let given = 0;
  const vast: MediaSource = {
    size: 1_000_000_000,
    read: async (start, end) => {
      given += end - start;
      if (given > 100_000_000) throw new Error('asked for too much');
      const bytes = Buffer.alloc(end - start);
      if (start < head.length) head.copy(bytes, 0, start);
      return bytes;
    },
  };
  expect(await inspectMedia(vast)).toMatchObject({ contentType: 'video/mp4', width: null });
  expect(given).toBeGreaterThan(0);
  expect(given).toBeLessThanOrEqual(64 * 1024 * 1024);
});

it('hands on the error of a store that cannot be read', async () => {
  const trouble = new Error('the bucket is away');
  const source = { size: 100, read: () => Promise.reject(trouble) };
  await expect(inspectMedia(source)).rejects.toBe(trouble);
});

it('has one process for files and first bytes alike, from the first of them until there are none for a while', async () => {
  const before = await childrenOf(process.pid);
  const started = async () => (await childrenOf(process.pid)).filter((pid) => !before.includes(pid));
  const inspector = new Inspector({ idle: 2_000 });
  expect(await started()).toEqual([]);
  for (let times = 0; times < 2; times += 1) {
    const heads = Array.from({ length: 5 }, () => inspector.sniff(sample('png')));
    const whole = Array.from({ length: 5 }, () => inspector.inspect(sourceOf(sample('mp4'))));
    expect(await Promise.all(whole)).toMatchObject(Array.from({ length: 5 }, () => ({ width: 16 })));
    expect(await Promise.all(heads)).toMatchObject(Array.from({ length: 5 }, () => ({ type: 'image/png' })));
    expect(await started()).toHaveLength(1);
    await eventually(async () => expect(await started()).toEqual([]));
  }
});

it('leaves no process behind when the worker is killed while a file keeps it in a loop', async () => {
  const inspector = pathToFileURL(
    join(import.meta.dirname, '../../../src/outputs/inspection/inspector.ts'),
  ).href;
  const worker = spawn(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { inspectMedia } from ${JSON.stringify(inspector)};
     const bytes = Buffer.from('${Buffer.from(HANGING_ADTS).toString('hex')}', 'hex');
     const read = async (start, end) => { console.log('reading'); return bytes.subarray(start, end); };
     await inspectMedia({ size: bytes.length, read });`,
  ]);
  await once(createInterface({ input: worker.stdout }), 'line');
  const looking = await childrenOf(worker.pid);
  expect(looking).toHaveLength(1);
  worker.kill('SIGKILL');
  await eventually(async () =>
    expect((await processes()).filter(({ pid }) => looking.includes(pid))).toEqual([]),
  );
});

async function childrenOf(parent: number | undefined): Promise<number[]> {
  return (await processes())
    .filter(({ ppid, program }) => ppid === parent && program.includes('inspection-main'))
    .map(({ pid }) => pid);
}

/** Those that run: one that has ended and waits to be noticed by its parent does not. */
async function processes(): Promise<{ pid: number; ppid: number; program: string }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state?.startsWith('Z') === false)
    .map(([pid, ppid, , ...args]) => ({ pid: Number(pid), ppid: Number(ppid), program: args.join(' ') }));
}
