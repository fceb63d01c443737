import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ALL_FORMATS, BlobSource, Input } from 'mediabunny';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Emulator, startEmulator } from '../../emulator/src/server.ts';
import { type Ended, runProgram } from '../starter/run-program.ts';

let outputs: string;
let emulator: Emulator;

beforeAll(async () => {
  outputs = await mkdtemp(join(tmpdir(), 'darkroom-demo-'));
  emulator = await startEmulator({ port: 0, media: 'tiny' });
});
afterAll(async () => {
  await emulator.close();
  await rm(outputs, { recursive: true, force: true });
});

/** `npm start`, on the test run's Temporal server, twenty times as fast as the real thing. */
function start(
  args: readonly string[],
  env: Record<string, string> = {},
  interruptAt?: string,
): Promise<Ended> {
  return runProgram(
    'local/main.ts',
    ['start', ...args],
    {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      DARKROOM_OUTPUTS: outputs,
      DARKROOM_WEBHOOK_PORT: '0',
      EMULATOR_PORT: '0',
      EMULATOR_SPEED: '20',
      ...env,
    },
    interruptAt === undefined ? {} : { interruptWhen: (output) => output.includes(interruptAt) },
  );
}

describe('npm start', () => {
  it('makes a picture, one twice as large, and a film of them, and says what each cost', async () => {
    const { code, stdout, stderr } = await start(['a red', 'fox in snow']);
    expect({ code, log: stderr.match(/^.*(level|WARN|ERROR).*$/m)?.[0] }).toEqual({
      code: 0,
      log: undefined,
    });
    expect(stdout).toContain('Darkroom: image → upscale → video for "a red fox in snow"');
    expect(stderr).toMatch(/^clip \(video-f\): completed/m);
    for (const row of [/still \(image-l\).*│ 8 /, /large \(upscale-q\).*│ 4 /, /clip \(video-f\).*│ 15 /]) {
      expect(stdout).toMatch(row);
    }
    expect(stdout).toMatch(
      /^3 files, 27 credits, [\d.]+ s: [\d.]+ s the emulator's simulated work, [\d.]+ s our own/m,
    );

    const [still = '', large = '', clip = ''] = ['still', 'large', 'clip'].map(
      (step) => new RegExp(`^\\S*\\+${step}/\\S+`, 'm').exec(stdout)?.[0] ?? '',
    );
    expect(await pixels(still)).toEqual({ format: 'png', width: 1024, height: 576 });
    expect(await pixels(large)).toEqual({ format: 'png', width: 2048, height: 1152 });
    expect(await seconds(clip)).toBeCloseTo(3, 1);
  });

  it('stops in order when it is interrupted half-way, and leaves no half-written file', async () => {
    const { code, stdout } = await start([], {}, 'still (image-l): running');
    expect(code).toBe(130);
    expect(stdout).not.toContain('files,');
    const files = await readdir(outputs, { recursive: true, withFileTypes: true });
    expect(files.filter(({ name }) => name.endsWith('.part'))).toEqual([]);
  });

  it('names the port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a TCP server's address
    try {
      const ended = await start([], { DARKROOM_WEBHOOK_PORT: String(port) });
      expect(ending(ended)).toEqual(
        oneMessage(1, `port ${port} is taken\n  set DARKROOM_WEBHOOK_PORT to a free one`),
      );
    } finally {
      server.close();
    }
  });

  it.each([
    [
      'an API that is not there',
      { DARKROOM_API_URL: 'http://127.0.0.1:1/api/v1' },
      'the media API is not reachable',
    ],
    [
      'a wrong key',
      {},
      'the media API refuses the key of workspace default (UNAUTHORIZED)\n  check DARKROOM_API_KEY',
    ],
    ['a Temporal that is not there', { TEMPORAL_ADDRESS: '127.0.0.1:1' }, 'or unset TEMPORAL_ADDRESS'],
  ])('names the cause and the fix of %s', async (_, env, message) => {
    const ended = await start([], { DARKROOM_API_URL: emulator.baseUrl, DARKROOM_API_KEY: 'wrong', ...env });
    expect(ending(ended)).toEqual(oneMessage(1, message));
  });

  it('refuses a wrong setting with exit code 2', async () => {
    const ended = await start([], { DARKROOM_PRIVATE_OUTPUTS: 'allow', DARKROOM_OUTPUTS: 'gs://bucket' });
    expect(ending(ended)).toEqual(oneMessage(2, 'DARKROOM_OUTPUTS has the unknown scheme gs:'));
  });
});

/** How a program ended that could not do its work: its exit code, and whether it showed a stack trace. */
function ending({ code, stderr }: Ended): { code: number | null; message: string; hasStack: boolean } {
  return { code, message: stderr, hasStack: /^\s+at /m.test(stderr) };
}

/** What `ending` is to be. */
function oneMessage(code: number, message: string): unknown {
  return { code, message: expect.stringContaining(message) as unknown, hasStack: false };
}

async function pixels(path: string): Promise<unknown> {
  const { format, width, height } = await sharp(path).metadata();
  return { format, width, height };
}

async function seconds(path: string): Promise<number> {
  const file = new Blob([await readFile(path)]);
  using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(file) });
  expect(basename(path)).toMatch(/\.mp4$/);
  return await input.computeDuration();
}
