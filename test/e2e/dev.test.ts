import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { startEmulator } from '../../emulator/src/server.ts';
import { starter } from '../starter/run-program.ts';
import { type Dev, startDevProgram } from './dev-program.ts';

let folder: string;
let settings: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-dev-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  settings = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    DARKROOM_TASK_QUEUE: `dev-${randomUUID()}`,
    DARKROOM_WEBHOOK_PORT: '0',
    EMULATOR_PORT: '0',
    EMULATOR_SPEED: '50',
    EMULATOR_MEDIA: 'tiny',
  };
});

/** `npm run dev` in the test's folder. */
async function startDev(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Dev> {
  const dev = await startDevProgram(folder, args, { ...settings, ...env });
  onTestFinished(() => dev.kill());
  return dev;
}

async function emulatorState(dev: Dev): Promise<unknown> {
  return await (await fetch(new URL('/control/state', dev.exported['DARKROOM_API_URL']))).json();
}

it('keeps the emulator, its key and its secret over a restart, where git does not see them', async () => {
  const first = await startDev();
  expect(first.output).toContain('State            .darkroom: kept over restarts');
  expect(first.output).not.toMatch(/^\{/m); // what it logs, it shows on request
  const made = await starter(['generate', 'image-l', 'prompt=a fox'], first.exported);
  expect(made.code).toBe(0);
  expect(await first.stop()).toBe(0);
  expect(await readFile(join(folder, '.darkroom/.gitignore'), 'utf8')).toBe('*\n');

  const second = await startDev();
  const { DARKROOM_API_KEY, DARKROOM_WEBHOOK_SECRET } = first.exported;
  expect(second.exported).toMatchObject({ DARKROOM_API_KEY, DARKROOM_WEBHOOK_SECRET });
  expect(await emulatorState(second)).toMatchObject({
    tasks: { COMPLETED: 1 },
    endpoints: [{ url: /Webhooks +(\S+)/.exec(second.output)?.[1] }],
  });
  await second.stop();
});

it('refuses a second one on the same state, and runs one without a state beside it', async () => {
  const first = await startDev();
  const second = await startDev();
  expect(second.output).toMatch(/\.darkroom is in use by another `npm run dev`\n.*--fresh/);
  expect(second.output).not.toMatch(/^\s+at /m);
  expect(await second.stop()).toBe(1);
  const fresh = await startDev(['--fresh']);
  expect(fresh.output).toContain('State            in memory');
  expect(await fresh.stop()).toBe(0);
  await first.stop();
});

it('tells whether the API of the environment is an emulator, and logs on request', async () => {
  const emulator = await startEmulator({ port: 0, media: 'tiny' });
  onTestFinished(() => emulator.close());
  const api = { DARKROOM_API_URL: emulator.baseUrl, DARKROOM_API_KEY: emulator.apiKey };
  const dev = await startDev(['--fresh', '--logs'], { ...api, DARKROOM_PRIVATE_OUTPUTS: 'allow' });
  expect(dev.output).toContain(`${emulator.baseUrl} (DARKROOM_API_URL: an emulator, nothing is charged)`);
  expect(dev.output).not.toContain('real credits');
  await dev.stop();
  expect(dev.output).toMatch(/^\{"level":/m);
  expect(await readdir(folder)).not.toContain('.darkroom');
});
