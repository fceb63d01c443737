import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/src/index.ts';
import { freePort } from '../../../src/local/temporal/free-port.ts';
import { KEY, PlainService } from '../other/plain-service.ts';
import { differencesFromContract } from './against-contract.ts';
import { differencesFromEmulator } from './against-emulator.ts';
import { inWords } from './difference.ts';
import { type Account, recordAccount } from './record-account.ts';
import type { RecordedDelivery, Recording } from './recording.ts';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));

const account = (more: Partial<Account> & Pick<Account, 'baseUrl' | 'apiKey'>): Account => ({
  overrides: {},
  models: ['image-l'],
  mostCredits: 1_000,
  patience: 10_000,
  tell: () => undefined,
  ...more,
});

async function differences(recording: Recording): Promise<string[]> {
  const found = [...differencesFromContract(recording), ...(await differencesFromEmulator(recording))];
  return found.map(inWords);
}

/** What is recorded of an emulator that is otherwise than ours usually is. */
async function recordedOf(
  options: EmulatorOptions,
  more: Partial<Account> = {},
  prepare: (emulator: Emulator) => void = () => undefined,
): Promise<Recording> {
  const emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 0, run: 0 },
    ...options,
  });
  prepare(emulator);
  try {
    const { baseUrl, apiKey } = emulator;
    return await recordAccount(account({ baseUrl, apiKey, ...more }));
  } finally {
    await emulator.close();
  }
}

describe('a recording', () => {
  it('of a service that is as ours shows no difference, whatever it is asked', async () => {
    const recording = await recordedOf({}, { models: ['image-l', 'video-k', 'speech-b'] });
    expect(recording.exchanges.map(({ step }) => step)).toEqual(
      expect.arrayContaining(['balance', 'a submit without its fields', 'a submit', 'its task']),
    );
    expect(await differences(recording)).toEqual([]);
  });

  it('names what the emulator assumes otherwise, with the assumption', async () => {
    const assumptions = {
      submitStatus: 202,
      submitErrorStatus: { TEMPLATE_NOT_FOUND: 410 },
      prices: { 'image-l': 11 },
      inputDefaults: { 'image-l': { resolution: '2K' } },
    };
    const found = await differences(await recordedOf({ assumptions }));
    const emulator = (says: string, on = 'a submit'): string =>
      `${on} (image-l): differs from the emulator: ${says}`;
    expect(found).toEqual(
      expect.arrayContaining([
        emulator("its status was 202, the emulator's is 201 (assumption submitStatus)"),
        emulator(
          "its status was 410, the emulator's is 404 (assumption submitErrorStatus)",
          'a submit from a template that does not exist',
        ),
        emulator('it cost 11, with the emulator 8 (assumption prices)'),
        emulator("input.resolution (string) is not in the emulator's answer (assumption inputDefaults)"),
      ]),
    );
    // The price and the default of the task's record as well, and nothing else.
    expect(found).toHaveLength(6);
  });

  it('of another service names each difference from the contract', async () => {
    await using service = await PlainService.start();
    const baseUrl = `${service.url}/api/v1`;
    const found = differencesFromContract(await recordAccount(account({ baseUrl, apiKey: KEY })));
    const without = 'a submit without its fields (image-l): differs from the contract:';
    const template = 'a submit from a template that does not exist (image-l): differs from the contract:';
    expect(found.map(inWords)).toEqual([
      `${without} its status is 200, not 422`,
      `${without} it is answered 200: it is not refused`,
      `${template} it is answered 200: it is not refused`,
    ]);
  });

  it('of a task that has failed compares with one that has failed alike', async () => {
    const fail = (emulator: Emulator): void =>
      void emulator.service().faults.add({ on: 'task', fault: { kind: 'fail', code: 'CONTENT_REJECTED' } });
    const recording = await recordedOf({}, {}, fail);
    expect(recording.exchanges.at(-2)?.response.body).toMatchObject({ status: 'FAILED' });
    expect(await differences(recording)).toEqual([]);
  });

  it('has the webhooks of its tasks, signatures judged and cut, and no personal data', async () => {
    const port = await freePort(0);
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const endpoint = { workspace: 'default', url: `http://127.0.0.1:${port}/webhooks` };
    const recorded = async (of: string): Promise<Recording> =>
      await recordedOf({ endpoints: [{ ...endpoint, secret: of }] }, { webhook: { port, secret } });
    const recording = await recorded(secret);
    expect(recording.deliveries?.map(({ headers }) => headers['x-webhook-event-type']).toSorted()).toEqual([
      'task.completed',
      'task.created',
      'task.started',
    ]);
    expect(await differences(recording)).toEqual([]);
    const text = JSON.stringify(recording.deliveries);
    expect(text).toContain('"webhook-signature":"v1,<cut>","x-webhook-signature":"v1=<cut>"');
    expect(text).not.toMatch(/[\w.]+@[\w.]+/);
    const foreign = await recorded('whsec_NfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    expect(differencesFromContract(foreign).map(inWords)).toContain(
      'webhook task.completed: differs from the contract: its webhook-signature is not one of the endpoint’s secret',
    );
  });

  it('names what a webhook has otherwise', async () => {
    const port = await freePort(0);
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const endpoints = [{ workspace: 'default', url: `http://127.0.0.1:${port}/webhooks`, secret }];
    const { deliveries = [], ...rest } = await recordedOf({ endpoints }, { webhook: { port, secret } });
    const first = deliveries.find(({ headers }) => headers['x-webhook-event-type'] === 'task.created');
    const { event, prediction } = structuredClone(first?.body) as { event: string; prediction: object }; // as the contract has it
    const { workspace: _, ...others } = { ...prediction, state: 'done', progress: 5 } as Record<
      string,
      unknown
    >;
    const changed = { ...first, headers: {}, body: { event, prediction: others } } as RecordedDelivery;
    const found = await differences({ ...rest, deliveries: [changed] });
    const of = (from: string, says: string): string => `webhook task.created: differs from ${from}: ${says}`;
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringContaining('its body: prediction.state: '),
        of('the contract', 'it has no header webhook-id'),
        of('the emulator', "prediction.progress (number) is not in the emulator's answer"),
        of('the emulator', "prediction.workspace (string) is in the emulator's answer alone"),
      ]),
    );
  });

  it('of a task whose record cannot be read for a moment goes on', async () => {
    let lose: () => void = () => undefined;
    const tell = (line: string): void => {
      if (line.startsWith('a submit (')) lose();
    };
    const lost = { on: 'get', times: 1, fault: { kind: 'lost-before' } } as const;
    const { exchanges } = await recordedOf({}, { tell }, (emulator) => {
      lose = () => void emulator.service().faults.add(lost);
    });
    expect(exchanges.map(({ step }) => step)).toContain('its task');
  });

  it('is kept as far as it came when the service goes away: it was paid for', async () => {
    const emulator = await startEmulator({ port: 0, media: 'tiny' });
    let kept: Recording | undefined;
    const save = async (recording: Recording): Promise<void> => {
      kept = structuredClone(recording);
      if (recording.exchanges.at(-1)?.step === 'a submit') await emulator.close();
    };
    const { baseUrl, apiKey } = emulator;
    await expect(recordAccount(account({ baseUrl, apiKey, save, patience: 0 }))).rejects.toThrow(
      'fetch failed',
    );
    expect(kept?.exchanges.at(-1)).toMatchObject({ step: 'a submit', response: { status: 201 } });
  });

  it('submits nothing with the key unless credits may be spent', async () => {
    const { exchanges } = await recordedOf({}, { mostCredits: 0 });
    const paid = exchanges.filter(({ request }) => request.method === 'POST' && request.key === 'good');
    expect(paid).toEqual([]);
  });
});

it('a recording has no key, no signed URL and no personal data, wherever they stood', async () => {
  const key = 'sk-very-secret';
  const server = createServer((request, response) => {
    const body = {
      code: 'UNAUTHORIZED',
      message: `The key ${key} of jo@example.com may not.`,
      details: {
        [key]: [{ url: `https://jo:pw@cdn.example/a.png?X-Signature=of-the-url#${key}` }],
        owner: { email: 'jo@example.com' },
        apiKey: key,
      },
    };
    response.setHeader('set-cookie', 'session=of-a-cookie').setHeader('retry-after', '5');
    response.writeHead(401, { 'content-type': 'application/json', 'x-account': key });
    response.end(JSON.stringify(body), () => request.resume());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  try {
    const baseUrl = `http://127.0.0.1:${port}/api/v1`;
    const recording = await recordAccount(account({ baseUrl, apiKey: key }));
    const text = JSON.stringify(recording);
    for (const secret of [
      key,
      'X-Signature',
      'of-the-url',
      'of-a-cookie',
      'pw@',
      'session',
      'x-account',
      'jo@example.com',
    ])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    expect(text).toContain('https://cdn.example/a.png?<cut>');
    expect(recording.exchanges[0]?.response.headers).toMatchObject({ 'retry-after': '5' });
  } finally {
    server.close();
  }
});

describe('npm run record', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exchange-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function program(args: string[], key?: string): Promise<{ code: number; out: string; err: string }> {
    const { CONFORMANCE_API_KEY: _, ...env } = process.env;
    const options = { env: { ...env, ...(key === undefined ? {} : { CONFORMANCE_API_KEY: key }) } };
    return await promisify(execFile)(process.execPath, [PROGRAM, ...args], options).then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      // As Node tells of a program that ended otherwise than with 0.
      (error: { code: number; stdout: string; stderr: string }) => ({
        code: error.code,
        out: error.stdout,
        err: error.stderr,
      }),
    );
  }

  it('writes a recording, and names the differences; a replay of it asks nobody and names the same', async () => {
    await using service = await PlainService.start();
    const file = join(folder, 'exchange.json');
    const url = `${service.url}/api/v1`;
    const recorded = await program([url, '--file', file, '--max-credits', '50'], KEY);
    expect([recorded.code, recorded.err]).toEqual([1, expect.stringContaining('a submit (image-l): 200\n')]);
    expect(recorded.out).toContain("its status was 200, the emulator's is 201 (assumption submitStatus)");
    expect(await readFile(file, 'utf8')).not.toContain(KEY);
    await service[Symbol.asyncDispose]();
    const replayed = await program(['--replay', file]);
    expect([replayed.code, replayed.out]).toEqual([1, recorded.out]);
  });

  it.each([
    [['https://media.example/api/v1'], undefined, 'CONFORMANCE_API_KEY is missing'],
    [[], 'key', 'give the URL of a service, or --replay a recording'],
    [['https://media.example/api/v1', '--webhook-port', '9'], 'key', 'CONFORMANCE_WEBHOOK_SECRET is missing'],
    [['--replay', '/no/such/file.json'], undefined, 'no such file'],
    [['https://media.example/api/v1', '--models', 'image-1'], 'key', 'image-1 is no model'],
  ])('asked with %j says what is wrong, and ends with 2', async (args, key, wrong) => {
    const { code, err } = await program(args, key);
    expect([code, err]).toEqual([2, expect.stringContaining(wrong)]);
  });

  it('says what is wrong in a file that is no recording', async () => {
    const file = join(folder, 'other.json');
    await writeFile(file, JSON.stringify({ format: 1, exchanges: [{ step: 'balance' }] }));
    const { code, err } = await program(['--replay', file]);
    expect([code, err]).toEqual([2, expect.stringContaining('it is no recording')]);
  });
});
