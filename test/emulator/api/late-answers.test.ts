import { expect, test } from 'vitest';
import { startEmulator } from '../../../emulator/src/server.ts';
import { call } from './direct-call.ts';

const SLOW = { kind: 'slow', ms: 20, when: 'before' } as const;

test.each([
  ['POST', 'generation/darkroom/image-l', '{"prompt":"x"}'],
  ['GET', 'generation/nobody', ''],
  ['GET', 'credits', ''],
])('%s %s is not answered once the emulator has closed', async (method, path, body) => {
  const emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    faults: [
      { on: 'submit', fault: SLOW },
      { on: 'get', fault: SLOW },
      { on: 'credits', fault: SLOW },
    ],
  });
  const service = emulator.service();
  const answer = await call(service, method, path, body, async (request) => {
    request.push(null);
    await emulator.close();
  });
  expect([answer, service.ledger.charges()]).toEqual([{ status: 0, text: '' }, []]);
});

test('a submit whose caller goes away while the body comes is not answered, and buys nothing', async () => {
  const emulator = await startEmulator({ port: 0, media: 'tiny' });
  const service = emulator.service();
  const answer = await call(service, 'POST', 'generation/darkroom/image-l', '{"prompt":', (request) =>
    request.destroy(new Error('gone')),
  );
  expect([answer, service.ledger.charges()]).toEqual([{ status: 0, text: '' }, []]);
  await emulator.close();
});
