import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dev, startDevProgram } from '../e2e/dev-program.ts';
import { ended } from './foreign-program.ts';
import { prepareTypeScript } from './prepare-typescript.ts';

const { PATH = '', HOME = '', DARKROOM_CACHE = '', TEMPORAL_ADDRESS = '' } = process.env;

/** TEMPORAL_ADDRESS: as for all tests; where it is not set, there is a server of its own. */
const SETTINGS = {
  DARKROOM_CACHE,
  TEMPORAL_ADDRESS,
  DARKROOM_TASK_QUEUE: `dev-${randomUUID()}`,
  DARKROOM_WEBHOOK_PORT: '0',
  EMULATOR_PORT: '0',
  EMULATOR_SPEED: '50',
  EMULATOR_MEDIA: 'tiny',
};

let folder: string;
let dev: Dev;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-dev-'));
  dev = await startDevProgram(folder, [], SETTINGS);
});
afterAll(async () => {
  await dev?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('against `npm run dev`, with the variables that it prints', { timeout: 600_000 }, () => {
  // Examples in other languages read the same variables, in tests of their own.
  it('the example finishes, and attaches when it is called again', async () => {
    const prepared = await prepareTypeScript();
    if ('missing' in prepared) throw new Error(prepared.missing);
    const key = randomUUID();
    const [program, ...args] = prepared.command;
    const film = () =>
      ended(program, [...args, key, 'a lighthouse at dawn'], {
        cwd: prepared.cwd,
        env: { PATH, HOME, ...dev.exported },
      });
    const first = await film();
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('still: ') });
    const [, still = '', clip = ''] = /^still: (file:\S+)\nclip: (file:\S+)\n$/.exec(first.stdout) ?? [];
    for (const uri of [still, clip]) expect((await stat(new URL(uri))).size).toBeGreaterThan(0);
    const second = await film();
    expect(second).toMatchObject({ stdout: first.stdout, stderr: expect.stringContaining('attached') });
  });
});
