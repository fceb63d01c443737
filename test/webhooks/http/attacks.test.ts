import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { describe, expect, it } from 'vitest';
import { RECEIVER_DEFAULTS } from '../../../src/webhooks/receiver-config.ts';
import { until } from '../../emulator/until.ts';
import { heapInUse } from '../heap.ts';
import { RunningReceiver } from '../running-receiver.ts';
import { Dice, mutate, pieces } from '../signature/mutate.ts';
import { delivery, event, legacyHeaders, OTHER_SECRET, SECRET, standardHeaders } from '../signed-delivery.ts';
import { post } from './raw-request.ts';

/** The same few every time; `FUZZ_REQUESTS=20000 FUZZ_SEED=<any number>` tries others, and more of them. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 2_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const AT_ONCE = 40;
const MEGABYTE = 1024 * 1024;

/** Sends pieces one by one, closes its side and tells all statuses that came back. */
function attack(port: number, parts: readonly Buffer[]): Promise<number[]> {
  return new Promise((resolve) => {
    let received = '';
    const write = async (): Promise<void> => {
      for (const part of parts) {
        socket.write(part);
        await turn();
      }
      socket.end();
    };
    const socket = connect(
      { port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true },
      () => void write(),
    );
    socket.setTimeout(5_000, () =>
      socket.destroy(new Error('the server keeps a half-closed connection open')),
    );
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () =>
      resolve([...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))),
    );
  });
}

describe(`${REQUESTS} mutated requests (seed ${SEED})`, () => {
  it('neither crash the receiver, nor are taken for what was not signed, nor leave anything behind', async () => {
    await using receiver = await RunningReceiver.start({ holds: { created: 20, terminal: 20, max: 100 } });
    receiver.submitted('t1', 'generation/a');
    const dice = new Dice(SEED);
    const completed = delivery(event('task.completed', 't1'), { id: 'evt_signed' });
    const bases = [completed, { ...completed, secret: OTHER_SECRET }].map((signed) => ({
      forged: signed.secret !== SECRET,
      request: post({ ...standardHeaders(signed), ...legacyHeaders(signed, 'task.completed') }, signed.body),
    }));
    const forgedAnswers: Record<number, number> = {};
    const run = async (): Promise<void> => {
      const { forged, request } = dice.pick(bases);
      for (const status of await attack(receiver.port, pieces(mutate(request, dice), dice))) {
        if (forged) forgedAnswers[status] = (forgedAnswers[status] ?? 0) + 1;
      }
    };
    // Some are held until the receiver's time-out; the others do not wait for them.
    const turns = pLimit(AT_ONCE);
    const send = (count: number): Promise<void[]> =>
      Promise.all(Array.from({ length: count }, () => turns(run)));
    await send(REQUESTS / 4);
    const heap = heapInUse();
    await send((REQUESTS * 3) / 4);
    expect(forgedAnswers[204]).toBeUndefined();
    expect(Object.keys(forgedAnswers)).toEqual(
      expect.arrayContaining(['400', '401', '404', '405', '413', '415']),
    );
    for (const { workflowId, event } of receiver.sink.signals) {
      expect([workflowId, event]).toEqual([
        'generation/a',
        { webhookId: 'evt_signed', type: 'task.completed', taskId: 't1' },
      ]);
    }
    expect(receiver.sink.unclaimedTasks).toEqual([]);
    expect(heapInUse() - heap).toBeLessThan(4 * MEGABYTE);
    expect(await receiver.deliver(event('task.completed', 't1'))).toBe(204);
    await until(async () => (await receiver.metric('darkroom_webhook_connections '))[0]?.endsWith(' 2'));
  }, 600_000);
});

/** Does everything to keep a connection for as little as possible: silent, slow in the head, slow in the body. */
function dawdle(port: number, kind: number): Socket {
  const request = post({ 'Content-Length': '600', 'webhook-id': 'evt_1' }, 'x'.repeat(600));
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  let sent = [0, 20, request.length - 590][kind % 3] ?? 0;
  if (sent === 0) return socket;
  socket.write(request.subarray(0, sent));
  const timer = setInterval(() => socket.write(request.subarray(sent, ++sent)), 300);
  socket.on('close', () => clearInterval(timer));
  return socket;
}

describe('a thousand slow senders', () => {
  it('leave honest deliveries unharmed when they take every place', async () => {
    const connections = 300;
    await using receiver = await RunningReceiver.start({
      caps: { ...RECEIVER_DEFAULTS.caps, connections },
      timeouts: { ...RECEIVER_DEFAULTS.timeouts, headers: 60_000, request: 60_000 },
    });
    receiver.submitted('t1', 'generation/a');
    const attackers = Array.from({ length: 1_000 }, (_, i) => dawdle(receiver.port, i));
    await until(() => attackers.every((socket) => !socket.connecting), 'the attack');
    await until(async () => (await attack(receiver.port, [post({}, '')]))[0] === 401, 'the first place');
    // Each on a connection of its own: it has to get in, too.
    for (let i = 0; i < 200; i++) {
      const signed = delivery(event('task.completed', 't1'));
      expect(await attack(receiver.port, [post(standardHeaders(signed), signed.body)])).toEqual([204]);
    }
    expect(receiver.sink.signals).toHaveLength(200);
    const standing = attackers.filter((socket) => !socket.closed).length;
    expect(standing).toBeGreaterThan(connections * 0.9);
    for (const socket of attackers) socket.destroy();
  }, 60_000);
});

describe('bodies in chunks of one byte', () => {
  it('take memory by their bytes, not by their pieces', async () => {
    await using receiver = await RunningReceiver.start({
      timeouts: { ...RECEIVER_DEFAULTS.timeouts, headers: 60_000, request: 60_000 },
    });
    const size = 50_000;
    const body = `{"event":"ping","x":"${'x'.repeat(size - 23)}"}`;
    const chunks = body.replaceAll(/./gs, '1\r\n$&\r\n');
    const answers: string[] = [];
    const heap = heapInUse();
    const senders = Array.from({ length: 10 }, () => {
      const socket = connect(receiver.port, '127.0.0.1');
      const head = post(standardHeaders(delivery(body)), '').toString();
      socket.write(head.replace('Content-Length: 0', 'Transfer-Encoding: chunked'));
      socket.write(chunks);
      socket.on('data', (answer) => answers.push(answer.toString().slice(0, 12)));
      return socket;
    });
    // All has been sent, and what was sent before a further delivery has been read when that is answered.
    await until(() => senders.every((socket) => !socket.connecting && socket.writableLength === 0), 'sent');
    for (let i = 0; i < 10; i++) expect(await receiver.deliver({ event: 'ping' })).toBe(204);
    expect(heapInUse() - heap).toBeLessThan(8 * MEGABYTE);
    for (const socket of senders) socket.write('0\r\n\r\n');
    await until(() => answers.length === senders.length, 'the answers');
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 204']));
    for (const socket of senders) socket.destroy();
  });
});
