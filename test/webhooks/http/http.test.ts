import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { RECEIVER_DEFAULTS } from '../../../src/webhooks/receiver-config.ts';
import { until } from '../../emulator/until.ts';
import { RunningReceiver } from '../running-receiver.ts';
import { delivery, event, legacyHeaders, standardHeaders } from '../signed-delivery.ts';
import { post, sendRaw } from './raw-request.ts';

const PING = { event: 'ping' };

/** A well-signed request with something changed. */
function request(
  headers: Record<string, string> = {},
  { body = JSON.stringify(PING), path = '/webhooks' }: { body?: string | Buffer; path?: string } = {},
): Buffer {
  const signed = delivery(body);
  return post({ ...standardHeaders(signed), ...headers }, signed.body, path);
}

describe('refusals', () => {
  it('come in the order of the contract, each before the next is looked at', async () => {
    await using receiver = await RunningReceiver.start({ maxBodyBytes: 100 });
    const statuses: number[] = [];
    const wrong = {
      path: 'POST /webhooks/nobody HTTP/1.1',
      method: 'PUT /webhooks HTTP/1.1',
      media: 'Content-Type: text/plain',
      size: 'Content-Length: 101',
    };
    const right = {
      media: 'Content-Type: application/json',
      size: 'Content-Length: 4',
      line: 'POST /webhooks HTTP/1.1',
    };
    for (const [line, media, size, body] of [
      [wrong.path, wrong.media, wrong.size, 'a'.repeat(101)],
      [wrong.method, wrong.media, wrong.size, 'a'.repeat(101)],
      [right.line, wrong.media, wrong.size, 'a'.repeat(101)],
      [right.line, right.media, wrong.size, 'a'.repeat(101)],
      [right.line, right.media, right.size, 'null'],
    ]) {
      const answer = await sendRaw(receiver.port, `${line}\r\nHost: h\r\n${media}\r\n${size}\r\n\r\n${body}`);
      expect(answer.body).toBe('');
      statuses.push(answer.status);
    }
    const signed = delivery('null');
    statuses.push((await sendRaw(receiver.port, post(standardHeaders(signed), signed.body))).status);
    expect(statuses).toEqual([404, 405, 415, 413, 401, 400]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])(
    'meet a well-signed delivery by %s: only POST is taken',
    async (method) => {
      await using receiver = await RunningReceiver.start();
      const text = request().toString('latin1').replace(/^POST/, method);
      const answer = await sendRaw(receiver.port, Buffer.from(text, 'latin1'));
      expect([answer.status, /\r\nallow: POST\b/i.test(answer.head)]).toEqual([405, true]);
    },
  );

  it.each([
    ['/', 404],
    ['/webhook', 404],
    ['/webhooks/', 404],
    ['/webhooks//', 404],
    ['/webhooks/default/', 404],
    ['/webhooks/Default', 404],
    ['/webhooks/d%65fault', 404],
    ['/webhooks/%2564efault', 404],
    ['/webhooks/../webhooks', 404],
    ['/webhooks/default%00', 404],
    ['/webhooks/%', 404],
    ['/webhooks/studio%20ü', 400],
    ['/webhooks/constructor', 404],
    ['http://localhost', 404],
    ['http://localhost/', 404],
    ['http:///webhooks', 404],
    ['http://me@localhost/webhooks', 404],
    ['ftp://localhost/webhooks', 404],
    ['*', 404],
    ['http://localhost/webhooks', 204],
    ['HTTPS://example.com:8787/webhooks/default?source=dashboard', 204],
    ['http://[::1]/webhooks/studio%20%c3%bc', 401],
    ['/webhooks/default', 204],
    ['/webhooks?source=dashboard', 204],
    ['/webhooks/studio%20%c3%bc', 401],
  ])('the path %s is answered %i', async (path, status) => {
    await using receiver = await RunningReceiver.start();
    expect((await sendRaw(receiver.port, request({}, { path }))).status).toBe(status);
  });

  it.each([
    ['application/json', 204],
    ['Application/JSON', 204],
    ['application/json; charset=utf-8', 204],
    ['application/json;charset="UTF-8"; version=1', 204],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-8; charset=utf-16', 204],
    ['application/json; charset', 204],
    ['application/json garbage', 415],
    ['application/json5', 415],
    ['application/json, text/plain', 415],
    ['application/problem+json', 415],
    ['text/json', 415],
    ['', 415],
  ])('the media type %j is answered %i', async (type, status) => {
    await using receiver = await RunningReceiver.start();
    expect((await sendRaw(receiver.port, request({ 'Content-Type': type }))).status).toBe(status);
  });

  it.each<[string, string, number]>([
    ['gzip', 'Content-Encoding: gzip', 415],
    ['an identity encoding that nobody needs', 'Content-Encoding: identity', 415],
    ['a second media type', 'Content-Type: text/plain', 415],
    ['a second media type that agrees', 'content-type: application/json', 415],
    ['a second length', 'Content-Length: 16', 400],
    ['chunks and a length', 'Transfer-Encoding: chunked', 400],
    ['an unknown transfer encoding', 'Transfer-Encoding: gzip', 400],
    ['no sense', 'no sense', 400],
    ['a space before the colon', 'X-A : b', 400],
    ['a folded line', 'X-A: b\r\n c', 400],
    ['a bare line feed', 'X-A: b\nX-B: c', 400],
    ['a null byte', 'X-A: b\0c', 400],
    ['a second id', 'WEBHOOK-ID: evt_1', 401],
    ['headers without end', `X-A: ${'a'.repeat(9_000)}`, 431],
  ])('a request with %s is refused', async (_what, line, status) => {
    await using receiver = await RunningReceiver.start();
    const text = request().toString('latin1').replace('\r\n\r\n', `\r\n${line}\r\n\r\n`);
    expect((await sendRaw(receiver.port, Buffer.from(text, 'latin1'))).status).toBe(status);
  });

  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['no JSON', '{"event":"ping"'],
    ['two documents', '{"event":"ping"}{}'],
    ['a byte order mark', '\uFEFF{"event":"ping"}'],
    ['invalid UTF-8', Buffer.from('{"event":"ping","x":"\xff"}', 'latin1')],
    ['null', 'null'],
    ['a list', '[{"event":"ping"}]'],
    ['a text', '"ping"'],
    ['no event', '{"prediction":{"id":"t1"}}'],
    ['an empty event', '{"event":""}'],
    ['an event that is no text', '{"event":["ping"]}'],
    ['a task event without prediction', '{"event":"task.completed"}'],
    ['a task event whose prediction is a list', '{"event":"task.completed","prediction":[]}'],
    ['a task event without a task', '{"event":"task.completed","prediction":{}}'],
    ['a task id that is no text', '{"event":"task.completed","prediction":{"id":1}}'],
    ['a task id with a line break', '{"event":"task.completed","prediction":{"id":"a\\nb"}}'],
    ['an endless task id', `{"event":"task.completed","prediction":{"id":"${'a'.repeat(201)}"}}`],
  ])('a well-signed body of %s is answered 400', async (_what, body) => {
    await using receiver = await RunningReceiver.start();
    expect((await sendRaw(receiver.port, request({}, { body }))).status).toBe(400);
  });

  it('an event of another type than its header says is answered 400', async () => {
    await using receiver = await RunningReceiver.start();
    const signed = delivery(PING);
    const headers = { ...standardHeaders(signed), ...legacyHeaders(signed, 'task.completed') };
    expect((await sendRaw(receiver.port, post(headers, signed.body))).status).toBe(400);
  });

  it('tell nothing but their status, and are counted by reason', async () => {
    await using receiver = await RunningReceiver.start();
    const answer = await sendRaw(receiver.port, request({ 'webhook-timestamp': '1' }));
    expect(answer.head.toLowerCase()).toMatch(
      /^http\/1\.1 401 unauthorized\r\ncontent-length: 0\r\ndate: .*\r\nconnection: keep-alive\r\nkeep-alive: timeout=\d+$/,
    );
    expect(await receiver.metric('darkroom_webhook_refused_total')).toEqual([
      'darkroom_webhook_refused_total{reason="signature stale"} 1',
    ]);
  });
});

describe('bodies', () => {
  it('may come in chunks, and in as many pieces as the network likes', async () => {
    await using receiver = await RunningReceiver.start();
    const body = JSON.stringify(PING);
    const signed = delivery(body);
    const lines = Object.entries(standardHeaders(signed)).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /webhooks HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${lines.join('')}\r\n`;
    const chunks = body.split('').map((character) => `1\r\n${character}\r\n`);
    expect((await sendRaw(receiver.port, [head, ...chunks, '0\r\n\r\n'])).status).toBe(204);
  });

  it('of exactly the limit are taken, whether announced or not; one byte more is 413', async () => {
    await using receiver = await RunningReceiver.start();
    const limit = RECEIVER_DEFAULTS.maxBodyBytes;
    const body = (size: number): string => `{"event":"ping","x":"${'x'.repeat(size - 23)}"}`;
    for (const [size, status] of [
      [limit, 204],
      [limit + 1, 413],
    ] as const) {
      const signed = delivery(body(size));
      expect(signed.body.length).toBe(size);
      expect((await sendRaw(receiver.port, post(standardHeaders(signed), signed.body))).status).toBe(status);
      const chunked = post(standardHeaders(signed), '')
        .toString()
        .replace('Content-Length: 0', 'Transfer-Encoding: chunked');
      const parts = [chunked, `${size.toString(16)}\r\n`, signed.body, '\r\n0\r\n\r\n'];
      expect((await sendRaw(receiver.port, parts)).status).toBe(status);
    }
  });

  it('that are far too large are refused before they are sent, and the sender gets to read it', async () => {
    await using receiver = await RunningReceiver.start();
    const head = post({ 'Content-Length': '104857600' }, '').toString();
    expect((await sendRaw(receiver.port, head)).status).toBe(413);
    expect((await sendRaw(receiver.port, [head, Buffer.alloc(3 * 1024 * 1024)])).status).toBe(413);
  });

  it('are asked for only when nothing speaks against them, if the sender waits to be told', async () => {
    await using receiver = await RunningReceiver.start();
    const signed = delivery(PING);
    const good = post({ ...standardHeaders(signed), Expect: '100-continue' }, signed.body);
    expect((await sendRaw(receiver.port, good)).status).toBe(204);
    const bad = post(
      { 'Content-Type': 'text/plain', 'Content-Length': '5000000', Expect: '100-continue' },
      '',
    );
    const answer = await sendRaw(receiver.port, bad);
    expect(answer.status).toBe(415);
  });

  it('that are large share a piece of memory; small ones are never refused for it', async () => {
    await using receiver = await RunningReceiver.start({
      caps: { ...RECEIVER_DEFAULTS.caps, bufferedBytes: 100_000 },
    });
    const large = delivery({ event: 'ping', x: 'x'.repeat(90_000) });
    const half = post(standardHeaders(large), large.body).subarray(0, 80_000);
    const hog = connect(receiver.port, '127.0.0.1', () => hog.write(half));
    await until(
      async () => (await sendRaw(receiver.port, post(standardHeaders(large), large.body))).status === 503,
    );
    expect(await receiver.deliver(PING)).toBe(204);
    hog.destroy();
    await until(
      async () => (await sendRaw(receiver.port, post(standardHeaders(large), large.body))).status === 204,
    );
  });
});

describe('connections', () => {
  it('stay open for the next delivery, also after a refusal', async () => {
    await using receiver = await RunningReceiver.start();
    const socket = connect(receiver.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    const answers = (): string[] => received.match(/HTTP\/1\.1 \d{3}/g) ?? [];
    for (const [i, bytes] of [request(), request({ 'webhook-id': 'other' }), request()].entries()) {
      socket.write(bytes);
      await until(() => answers().length === i + 1, `answer ${i + 1}`);
    }
    expect(answers()).toEqual(['HTTP/1.1 204', 'HTTP/1.1 401', 'HTTP/1.1 204']);
    socket.destroy();
  });

  it('may go on with requests of another kind', async () => {
    await using receiver = await RunningReceiver.start();
    const socket = connect(receiver.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    const plain = request();
    const kinds = [
      plain,
      request({ 'Content-Type': 'application/json; charset=utf-8' }),
      'GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n',
      request(),
      request({ 'webhook-signature': 'v1,' }),
    ];
    for (const [i, bytes] of kinds.entries()) {
      // In two pieces, but for the first.
      socket.write(bytes.slice(0, i === 0 ? bytes.length : 30));
      if (i > 0) socket.write(bytes.slice(30));
      await until(() => received.match(/HTTP\/1\.1 \d{3}/g)?.length === i + 1, `answer ${i + 1}`);
    }
    expect(received.match(/HTTP\/1\.1 \d{3}/g)?.map((line) => line.slice(9))).toEqual([
      '204',
      '204',
      '200',
      '204',
      '401',
    ]);
    socket.destroy();
  });

  it("that were closed on the sender's side still get their answer", async () => {
    await using receiver = await RunningReceiver.start();
    const signed = delivery(event('task.created', 't1'));
    const socket = connect({ port: receiver.port, host: '127.0.0.1', allowHalfOpen: true });
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.end(post(standardHeaders(signed), signed.body));
    await new Promise((resolve) => socket.on('end', resolve));
    socket.destroy();
    expect(received).toMatch(/^HTTP\/1\.1 204 /);
    expect(receiver.sink.unclaimedTasks).toHaveLength(1);
  });

  it('with several requests at once get their answers in order', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    const first = delivery(event('task.completed', 't1'));
    const release = Promise.withResolvers<'taken'>();
    receiver.sink.onSignal = () => release.promise;
    const socket = connect(receiver.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.write(
      Buffer.concat([post(standardHeaders(first), first.body), request({ 'webhook-id': 'other' })]),
    );
    await until(() => receiver.sink.signals.length === 1, 'the signal');
    expect(received).toBe('');
    release.resolve('taken');
    await until(() => received.includes('401'), 'both answers');
    expect(received.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 204', 'HTTP/1.1 401']);
    socket.destroy();
  });

  it('that do not get on with their request are closed with 408', async () => {
    await using receiver = await RunningReceiver.start({
      timeouts: { ...RECEIVER_DEFAULTS.timeouts, headers: 200, request: 300 },
    });
    const slow = [sendRaw(receiver.port, ''), sendRaw(receiver.port, 'POST /webhooks HTTP/1.1\r\nHo')];
    slow.push(sendRaw(receiver.port, request().subarray(0, -1)));
    for (const answer of await Promise.all(slow)) expect(answer.status).toBe(408);
  });

  it('beyond the cap put out the one that has been silent longest, and else are told to come back', async () => {
    await using receiver = await RunningReceiver.start({
      caps: { ...RECEIVER_DEFAULTS.caps, connections: 3 },
    });
    const silent = Array.from({ length: 3 }, () => connect(receiver.port, '127.0.0.1'));
    const closed = silent.map(
      (socket) => new Promise<void>((resolve) => socket.on('close', () => resolve())),
    );
    const early = await until(async () => {
      const answer = await sendRaw(receiver.port, request());
      return answer.status === 503 && answer;
    });
    expect(early.head).toMatch(/retry-after: 2/i);
    const start = performance.now();
    await until(async () => (await sendRaw(receiver.port, request())).status === 204, 'a free place');
    expect(performance.now() - start).toBeGreaterThan(1_000);
    await closed[0];
    expect(silent.map((socket) => socket.closed)).toEqual([true, false, false]);
    for (const socket of silent) socket.destroy();
  });

  it('with more verified deliveries than the cap are told to come back', async () => {
    await using receiver = await RunningReceiver.start({ caps: { ...RECEIVER_DEFAULTS.caps, inFlight: 2 } });
    const statuses = await Promise.all(
      Array.from({ length: 4 }, (_, i) => receiver.deliver(event('task.created', `t${i}`))),
    );
    expect(statuses.toSorted()).toEqual([204, 204, 503, 503]);
  });

  it('in whose midst comes junk get the answers that they would have got, each in its place', async () => {
    await using receiver = await RunningReceiver.start();
    const held = request({}, { body: JSON.stringify(event('task.created', 't1')) });
    for (const [junk, answer] of [
      ['no request at all\r\n\r\n', ''],
      [
        `${post({ 'Transfer-Encoding': 'chunked' }, '').toString().replace('Content-Length: 0\r\n', '')}x\r\n`,
        '400',
      ],
    ] as const) {
      const socket = connect(receiver.port, '127.0.0.1', () =>
        socket.write(Buffer.concat([held, request(), Buffer.from(junk)])),
      );
      const received = await text(socket);
      const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
      expect(statuses).toEqual(['204', '204', answer].filter(Boolean));
    }
    expect(receiver.sink.unclaimedTasks).toHaveLength(1);
  });

  it('for operators allow GET and HEAD only', async () => {
    await using receiver = await RunningReceiver.start();
    const answer = await sendRaw(receiver.port, 'HEAD /healthz HTTP/1.1\r\nHost: h\r\n\r\n');
    expect([answer.status, answer.body]).toEqual([200, '']);
    const refused = await sendRaw(receiver.port, 'DELETE /readyz HTTP/1.1\r\nHost: h\r\n\r\n');
    expect([refused.status, /allow: GET, HEAD/i.test(refused.head)]).toEqual([405, true]);
    const absolute = 'HEAD http://h/healthz?from=proxy HTTP/1.1\r\nHost: h\r\n\r\n';
    expect((await sendRaw(receiver.port, absolute)).status).toBe(200);
    expect((await sendRaw(receiver.port, 'GET /webhooks HTTP/1.1\r\nHost: h\r\n\r\n')).status).toBe(405);
    expect((await sendRaw(receiver.port, 'GET /webhooks HTTP/1.1\r\n\r\n')).status).toBe(400);
  });
});
