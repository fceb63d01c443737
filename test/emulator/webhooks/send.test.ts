import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Attempt, Delivery } from '../../../emulator/src/webhooks/delivery.ts';
import { deliveryAgent, send } from '../../../emulator/src/webhooks/send.ts';
import { signatures } from '../../../emulator/src/webhooks/sign.ts';
import { until } from '../until.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const NOW = 1_700_000_000_900;
const SECRETS = ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
const agent = deliveryAgent(1);
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterAll(async () => {
  vi.useRealTimers();
  await agent.destroy();
  await receiver[Symbol.asyncDispose]();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.delay = 0;
});

function attempted(fault: Delivery['fault'], url = receiver.url): Promise<Attempt> {
  const delivery: Delivery = {
    id: 'dlv',
    eventId: 'evt',
    endpointId: 'ep',
    workspace: 'default',
    type: 'task.created',
    taskId: 'task',
    test: false,
    body: '{"event":"task.created"}',
    state: 'processing',
    attempts: [],
    createdAt: NOW,
    nextAttemptAt: null,
    fault,
  };
  return send(agent, delivery, { url, secrets: SECRETS, timeout: 5_000 });
}

/** The attempt at a receiver that answers in its own way. */
async function answeredBy(answer: RequestListener): Promise<Attempt> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  try {
    return await attempted(null, `http://127.0.0.1:${port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const told = { at: NOW, took: 0, status: 401, answer: 'noted', error: null };
const silent = { ...told, status: null, answer: '' };

test.each<[Delivery['fault'], Attempt, right: boolean | undefined]>([
  [null, told, true],
  [{ kind: 'late', ms: 1 }, told, true],
  [{ kind: 'wrongly-signed' }, told, false],
  [{ kind: 'unacknowledged', attempts: 1 }, { ...silent, error: 'the answer got lost (fault)' }, true],
  [{ kind: 'dead-endpoint' }, { ...silent, error: 'connect ECONNREFUSED 127.0.0.1:9' }, undefined],
])('with the fault %j an attempt is recorded as %j, and signed rightly: %j', async (fault, record, right) => {
  receiver.answers.splice(0, Number.POSITIVE_INFINITY, 401);
  expect(await attempted(fault)).toEqual(record);
  const signed = signatures(SECRETS, 'evt', '1700000000', '{"event":"task.created"}');
  expect(receiver.received.map(({ headers }) => headers['webhook-signature'] === signed.standard)).toEqual(
    right === undefined ? [] : [right],
  );
  for (const { method, headers } of receiver.received) {
    expect(method).toBe('POST');
    expect(headers).toMatchObject({
      'user-agent': 'darkroom-emulator',
      'webhook-id': 'evt',
      'webhook-timestamp': '1700000000',
      'webhook-signature': expect.stringMatching(/^v1,.{44}$/),
    });
  }
});

test('of a long answer the first 1024 bytes are kept', async () => {
  const inParts = async (response: ServerResponse): Promise<void> => {
    for (const letter of ['a', 'b', 'c']) {
      response.write(letter.repeat(1000));
      await sleep(20); // so that each part comes by itself
    }
    response.end();
  };
  const attempt = await answeredBy((_request, response) => void inParts(response));
  expect(attempt).toEqual({ ...told, status: 200, answer: 'a'.repeat(1000) + 'b'.repeat(24) });
});

test('an endless answer is not read to its end', async () => {
  const attempt = await answeredBy((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('a'.repeat(1000)));
    };
    response.on('drain', more);
    more();
  });
  expect(attempt).toEqual({ ...told, status: 200, answer: 'a'.repeat(1024) });
});

test('a receiver gets as many at the same time as it is said, the others when it has answered', async () => {
  receiver.answers.length = 0;
  receiver.delay = 100;
  let first: Attempt | undefined;
  const both = [attempted(null).then((attempt) => (first = attempt)), attempted(null)];
  await until(() => receiver.received.length === 2);
  expect(first).toEqual({ ...told, status: 204, answer: '' });
  await Promise.all(both);
});
