import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EMULATOR_VARIABLES } from '../../emulator/src/config/environment.ts';
import { until } from './until.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const program of started.splice(0)) program.kill();
});

/** `npm run emulator`, on a free port. */
function run(variables: NodeJS.ProcessEnv = {}): {
  program: ChildProcess;
  told: { out: string; error: string };
} {
  const env = {
    ...process.env,
    EMULATOR_PORT: '0',
    EMULATOR_MEDIA: 'tiny',
    EMULATOR_WEBHOOK_URL: 'http://127.0.0.1:9/',
    ...variables,
  };
  const program = spawn(process.execPath, ['emulator/src/main.ts'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(program);
  const told = { out: '', error: '' };
  program.stdout.on('data', (chunk: Buffer) => (told.out += chunk.toString()));
  program.stderr.on('data', (chunk: Buffer) => (told.error += chunk.toString()));
  return { program, told };
}

test('the program says how to point Darkroom at it, and stops when it is told to', async () => {
  const { program, told } = run();
  await until(() => told.out.includes('DARKROOM_PRIVATE_OUTPUTS=allow'));
  const [, url] = /export DARKROOM_API_URL=(\S+)/.exec(told.out) ?? [];
  const [, key] = /export DARKROOM_API_KEY=(\S+)/.exec(told.out) ?? [];
  expect(told.out).toMatch(/export DARKROOM_WEBHOOK_SECRET=whsec_/);
  const credits = await fetch(`${url}/credits`, { headers: { authorization: `Bearer ${key}` } });
  expect(credits.status).toBe(200);
  program.kill('SIGTERM');
  expect(await once(program, 'exit')).toEqual([0, null]);
});

test('the program prints no secret that it was given, but says where it came from', async () => {
  const given = {
    EMULATOR_API_KEY: 'dk_local_of-somebody',
    EMULATOR_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  };
  const { told } = run(given);
  await until(() => told.out.includes('DARKROOM_PRIVATE_OUTPUTS=allow'));
  for (const [variable, secret] of Object.entries(given)) {
    expect(told.out).toContain(`="$${variable}"`);
    expect(told.out + told.error).not.toContain(secret);
  }
});

test('a taken port or a wrong file ends the program with one line', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const complaints = [run({ EMULATOR_PORT: port }), run({ EMULATOR_DB: 'package.json' })];
  const ends = await Promise.all(complaints.map(({ program }) => once(program, 'close')));
  expect(ends).toEqual([
    [1, null],
    [1, null],
  ]);
  taken.close();
  expect(complaints.map(({ told }) => told.error)).toEqual([
    expect.stringMatching(/^Port \d+ is taken\. Set EMULATOR_PORT to .*\n$/),
    expect.stringMatching(/^EMULATOR_DB: The database file package\.json cannot be used: .*\n$/),
  ]);
});

test('--help tells every variable and starts nothing; another argument is refused', async () => {
  const ask = async (word: string) => {
    const program = spawn(process.execPath, ['emulator/src/main.ts', word], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(program);
    let text = '';
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const [code] = await once(program, 'close');
    return { code, text };
  };
  const help = await ask('--help');
  expect(help.code).toBe(0);
  for (const name of EMULATOR_VARIABLES) expect(help.text).toContain(`${name}=`);
  expect(await ask('--prot')).toEqual({ code: 2, text: expect.stringContaining('"--prot"') });
});
