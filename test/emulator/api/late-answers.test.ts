import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { until } from '../until.ts';
import { call } from './direct-call.ts';

const SLOW = { kind: 'slow', ms: 100, when: 'before' } as const;
const SUBMIT = { method: 'POST', path: 'generation/darkroom/image-l' } as const;
const NOTHING = { status: 0, text: '' };
let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    faults: [
      { on: 'submit', fault: SLOW },
      { on: 'get', fault: SLOW },
      { on: 'credits', fault: SLOW },
    ],
  });
});
afterEach(() => emulator.close().catch(() => undefined)); // it may have been closed already

test.each([
  ['a submit', { ...SUBMIT, body: '{"prompt":"x"}' }],
  ['the read of a task', { method: 'GET', path: 'generation/nobody' }],
  ['a look at the credits', { method: 'GET', path: 'credits' }],
])('%s is neither done nor answered once the emulator has closed', async (_what, request) => {
  const service = emulator.service();
  const answer = await call(service, {
    ...request,
    meanwhile: async (sent) => {
      sent.push(null);
      await until(() => Object.keys(service.faults.counts()).length === 1);
      await emulator.close();
    },
  });
  expect([answer, service.ledger.charges()]).toEqual([NOTHING, []]);
});

test('a submit whose caller goes away, or whose emulator closes, while the body comes buys nothing', async () => {
  const service = emulator.service();
  const gone = await call(service, {
    ...SUBMIT,
    body: '{"prompt":',
    meanwhile: (request) => request.destroy(new Error('gone')),
  });
  const closed = await call(service, {
    ...SUBMIT,
    body: '{"prompt":"x"}',
    meanwhile: async (request) => {
      await emulator.close();
      request.push(null);
    },
  });
  expect([gone, closed, service.ledger.charges()]).toEqual([NOTHING, NOTHING, []]);
  expect(service.faults.counts()).toEqual({});
});

test('a form whose file cannot be stored is not blamed on the form', async () => {
  const service = emulator.service();
  await service.files.close();
  const form = new FormData();
  form.set('image_urls', new File(['x'], 'a.png'));
  const sent = new Response(form);
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' };
  const body = Buffer.from(await sent.arrayBuffer());
  await expect(call(service, { ...SUBMIT, body, headers })).rejects.toThrow('The emulator was closed');
});
