import { expect, test } from 'vitest';
import { EnvironmentError, readEnvironment } from '../../../emulator/src/config/environment.ts';
import { startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';
import { readConfig } from './read-config.ts';

function reading(environment: NodeJS.ProcessEnv): () => unknown {
  return () => readEnvironment(environment);
}

test('variables are read, and the one that is wrong is named, without showing a secret', () => {
  expect(readEnvironment({ EMULATOR_PORT: '0', EMULATOR_SPEED: '2.5', EMULATOR_DB: '' })).toMatchObject({
    port: 0,
    speed: 2.5,
    dbFile: undefined,
  });
  expect(reading({ EMULATOR_PORT: 'many' })).toThrow(
    /EMULATOR_PORT must be a port.*"many".*EMULATOR_PORT=4010/,
  );
  expect(reading({ EMULATOR_SPEED: '0' })).toThrow(/EMULATOR_SPEED/);
  for (const number of [' ', '0x10', '4e3', '40.5', '-1', '70000']) {
    expect(reading({ EMULATOR_PORT: number })).toThrow(/EMULATOR_PORT/);
  }
  expect(reading({ EMULATOR_FAULTS: '/nowhere.json' })).toThrow(/EMULATOR_FAULTS: the file \/nowhere.json/);
  expect(reading({ EMULATOR_WEBHOOK_SECRET: 'whsec_c2VjcmV0' })).toThrow(EnvironmentError);
  const secret = { EMULATOR_WEBHOOK_URL: 'http://x/', EMULATOR_WEBHOOK_SECRET: 'hush' };
  expect(reading(secret)).toThrow(/EMULATOR_WEBHOOK_SECRET must be base64/);
  expect(reading(secret)).not.toThrow(/hush/);
  expect(reading({ EMULATOR_WEBHOOK_URL: 'http://169.254.169.254/' })).toThrow(
    /EMULATOR_WEBHOOK_URL must be/,
  );
});

test('a variable that is called nearly like one of ours is refused, for it would have no effect', () => {
  for (const [mistyped, meant] of [
    ['EMULATOR_PROT', 'EMULATOR_PORT'],
    ['EMULATOR_SPEDD', 'EMULATOR_SPEED'],
    ['EMULATORPORT', 'EMULATOR_PORT'],
  ] as const) {
    expect(reading({ [mistyped]: '1' })).toThrow(
      `${mistyped} is not a variable of the emulator; did you mean ${meant}?`,
    );
  }
  expect(readEnvironment({ EMULATOR_PROT: '', EMULATOR_OF_SOMEBODY_ELSE: '1' })).toBeDefined();
});

test('EMULATOR_CONFIG gives models other paths and field names', async () => {
  const models = { 'image-l': { path: 'generation/acme/image', fields: { prompt: 'text' } } };
  const emulator = await startEmulator({ ...readConfig({ models }), port: 0, media: 'tiny' });
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const submit = (input: object) =>
    new ApiCaller(emulator).call('POST', `${emulator.baseUrl}/generation/acme/image`, input, headers);
  expect(await submit({ text: 'x' })).toMatchObject({ status: 201, body: { input: { text: 'x' } } });
  expect((await submit({ prompt: 'x' })).status).toBe(422);
  await emulator.close();
});
