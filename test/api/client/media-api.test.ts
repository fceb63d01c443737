import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { Dispatcher } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readAnswer } from '../../../src/api/client/api-answer.ts';
import { createAgent, exchange } from '../../../src/api/client/http-exchange.ts';
import { MediaApi } from '../../../src/api/client/media-api.ts';
import { patience } from '../../patience.ts';

const cleanup: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end();
});

/** An HTTP server on loopback: the network's edge. */
async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  path = '/api/v1',
): Promise<MediaApi> {
  // Closes no connection by itself.
  const server = createServer({ keepAliveTimeout: 600_000 }, handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return apiAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
}

/** A TCP server that does with each connection what it is told. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

function apiAt(url: string): MediaApi {
  const api = new MediaApi(url);
  // Not waited for: a handshake under way ends with the server, which is closed after this.
  cleanup.push(() => void api.close());
  return api;
}

const submit = (api: MediaApi, timeout = 2_000) =>
  api.submit({ path: 'generation/darkroom/image-l', body: { prompt: 'x' }, apiKey: 'key', timeout });

const unavailable = { kind: 'rejected', row: 'PROVIDER_UNAVAILABLE' };

const GET = { method: 'GET', url: new URL('http://api/x'), headers: {}, timeout: 50, maxBytes: 9 } as const;

const BALANCE = {
  permanent: 5,
  subscription: 2,
  subscription_expires_at: '2026-12-01T00:00:00Z',
  available: 7,
};

describe('a submit over a broken network', () => {
  it('to a port where nothing listens has bought nothing', async () => {
    const port = await listen(() => undefined);
    await cleanup.pop()?.();
    const outcome = await submit(apiAt(`http://127.0.0.1:${port}/api/v1`));
    expect(outcome).toMatchObject({ ...unavailable, message: expect.stringContaining('connection refused') });
  });

  it('to a name that does not exist has bought nothing', async () => {
    expect(await submit(apiAt('http://api.invalid/api/v1'))).toMatchObject(unavailable);
  });

  it('whose TLS handshake fails has bought nothing', async () => {
    const port = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await submit(apiAt(`https://127.0.0.1:${port}/api/v1`))).toMatchObject(unavailable);
  });

  it('whose TLS handshake never ends has bought nothing when it times out', async () => {
    const port = await listen(() => undefined);
    const outcome = await submit(apiAt(`https://127.0.0.1:${port}/api/v1`), 200);
    const message = `cannot talk to https://127.0.0.1:${port}: no connection within 200 ms`;
    expect(outcome).toMatchObject({ ...unavailable, message });
  });

  it('is over when its time is up, even where the connection tells nothing at all', async () => {
    const silent = new (class extends Dispatcher {
      override dispatch(): boolean {
        return true;
      }
    })();
    await expect(exchange(silent, GET)).rejects.toMatchObject({
      name: 'TransportFailure',
      kind: 'connect-timeout',
      sent: 'no',
      message: 'cannot talk to http://api: no connection within 50 ms',
      cause: { name: 'TimeoutError', message: 'the time is up' },
    });
  });

  it('leaves no timer behind when it is over', async () => {
    const broken = new (class extends Dispatcher {
      override dispatch(): boolean {
        throw new Error('broken');
      }
    })();
    const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    const before = timers(); // no other begins or ends meanwhile: all happens in one turn of the loop
    await expect(exchange(broken, GET)).rejects.toMatchObject({ kind: 'network', sent: 'no' });
    expect(timers()).toBe(before);
  });

  it('tells what broke, and whether the request can have arrived', async () => {
    const port = await listen((socket) => {
      socket.once('data', (text) => {
        if (!text.includes('/silent')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123456789');
      });
    });
    const agent = createAgent(2, 1_000);
    cleanup.push(() => agent.destroy());
    const get = (path: string, timeout: number) =>
      exchange(agent, {
        method: 'GET',
        url: new URL(`http://127.0.0.1:${port}${path}`),
        headers: {},
        timeout,
        maxBytes: 9,
      });
    await expect(get('/large', 60_000)).rejects.toMatchObject({ kind: 'too-large', sent: 'maybe' });
    await expect(get('/silent', 300)).rejects.toMatchObject({ kind: 'timeout', sent: 'maybe' });
  });

  it('keeps no read waiting, however many submits wait for an answer', async () => {
    let posts = 0;
    const api = await serve((request, response) => {
      if (request.method === 'POST') posts += 1;
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(BALANCE));
    });
    const submits = Array.from({ length: 200 }, () => submit(api, 60_000));
    for (const one of submits) one.catch(() => undefined); // they end with the server
    await vi.waitFor(() => expect(posts).toBe(200), patience(20_000));
    expect(await api.getCredits({ apiKey: 'key' }, 20_000)).toMatchObject({ kind: 'credits' });
  });

  it('never goes on a connection that has idled for a second, whatever the service promises', async () => {
    const sockets: Socket[] = [];
    const api = await serve((request, response) => {
      sockets.push(request.socket);
      response.writeHead(201, { 'content-type': 'application/json', 'keep-alive': 'timeout=600' });
      response.end(
        JSON.stringify({ id: 't', status: 'QUEUED', model: 'm', created_at: '2026-01-01T00:00:00Z' }),
      );
    });
    await submit(api);
    await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true), patience(5_000));
    expect(await submit(api)).toMatchObject({ kind: 'accepted' });
  });

  it('that times out after the request was written is unknown', async () => {
    const port = await listen(() => undefined);
    expect(await submit(apiAt(`http://127.0.0.1:${port}/api/v1`), 200)).toMatchObject({
      kind: 'unknown',
      reason: `cannot talk to http://127.0.0.1:${port}: no answer within 200 ms`,
    });
  });

  it.each([
    ['before any answer', ''],
    ['in the middle of the head', 'HTTP/1.1 201 Cre'],
    ['in the middle of the body', 'HTTP/1.1 201 Created\r\ncontent-length: 500\r\n\r\n{"id":"t'],
  ])('whose connection is closed %s is unknown', async (_, bytes) => {
    const port = await listen((socket) => socket.once('data', () => socket.end(bytes)));
    expect((await submit(apiAt(`http://127.0.0.1:${port}/api/v1`))).kind).toBe('unknown');
  });

  it('whose answer trickles in forever is unknown after the time-out, and not a byte later', async () => {
    const port = await listen((socket) => {
      socket.write('HTTP/1.1 201 Created\r\ncontent-length: 5000\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect((await submit(apiAt(`http://127.0.0.1:${port}/api/v1`), 300)).kind).toBe('unknown');
  });

  it('whose answer is endless is unknown, and is not read to its end', async () => {
    const api = await serve((_, response) => {
      response.writeHead(201);
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) continue;
      };
      response.on('drain', more);
      more();
    });
    expect(await submit(api, 10_000)).toEqual({
      kind: 'unknown',
      reason: 'the answer is larger than 8388608 bytes',
    });
  });
});

describe('the API client', () => {
  it('sends the key, JSON and the workflow it submits for, and uses its connections again', async () => {
    const requests: IncomingMessage[] = [];
    const ports = new Set<number | undefined>();
    const bodies: string[] = [];
    const api = await serve((request, response) => {
      requests.push(request);
      ports.add(request.socket.remotePort);
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: `t${requests.length}`, status: 'IN_QUEUE', input: {}, usage: {} }));
    });
    for (const workflowId of ['generation/a', 'generation/b', 'generation/naïve key ✓', 'd', 'e', 'f']) {
      const call = {
        path: 'generation/darkroom/image-l',
        body: { prompt: 'x' },
        apiKey: 'key',
        timeout: 2_000,
      };
      expect((await api.submit({ ...call, workflowId })).kind).toBe('accepted');
    }
    expect(requests.map(({ url }) => url)).toEqual(Array(6).fill('/api/v1/generation/darkroom/image-l'));
    expect(requests[0]?.headers).toMatchObject({
      authorization: 'Bearer key',
      accept: 'application/json',
      'user-agent': 'darkroom',
      'content-type': 'application/json',
      'x-darkroom-workflow': 'generation/a',
    });
    expect(decodeURI(String(requests[2]?.headers['x-darkroom-workflow']))).toBe('generation/naïve key ✓');
    expect(ports.size).toBeLessThan(3);
    expect(bodies).toEqual(Array(6).fill('{"prompt":"x"}'));
    await submit(api);
    expect(requests[6]?.headers).not.toHaveProperty('x-darkroom-workflow');
  });

  it('sends no Idempotency-Key: whether the API knows it is unconfirmed', async () => {
    const sent: string[] = [];
    const api = await serve((request, response) => {
      sent.push(...Object.keys(request.headers));
      request.resume();
      response.writeHead(201).end(JSON.stringify({ id: 't', status: 'IN_QUEUE', input: {}, usage: {} }));
    });
    const path = 'generation/darkroom/image-l';
    await api.submit({
      path,
      body: { prompt: 'x' },
      apiKey: 'key',
      timeout: 2_000,
      workflowId: 'generation/a',
    });
    expect(sent).toContain('authorization');
    expect(sent.filter((name) => name.includes('idempotency'))).toEqual([]);
  });

  it('sends the headers of a workspace with each request, but none in the place of its own', async () => {
    const sent: string[][] = [];
    const api = await serve((request, response) => {
      const { 'x-workspace': workspace, authorization } = request.headers;
      sent.push([request.method ?? '', String(workspace), String(authorization)]);
      request.resume();
      response.writeHead(200).end('{}');
    });
    const caller = { apiKey: 'key', headers: { 'x-workspace': 'studio', authorization: 'Bearer other' } };
    await api.submit({ ...caller, path: 'generation/darkroom/image-l', body: {}, timeout: 2_000 });
    await api.getGeneration('t', caller, 2_000);
    await api.getCredits(caller, 2_000);
    expect(sent).toEqual(['POST', 'GET', 'GET'].map((method) => [method, 'studio', 'Bearer key']));
  });

  it('reads only the record of the task that it asked for', async () => {
    const api = await serve((request, response) => {
      const id = request.url?.endsWith('mine') ? 'mine' : 'another';
      response.end(
        JSON.stringify({ id, status: 'COMPLETED', input: {}, data: { odd: true }, usage: { total: 1 } }),
      );
    });
    expect(await api.getGeneration('mine', { apiKey: 'key' }, 1_000)).toMatchObject({
      kind: 'record',
      record: { status: 'COMPLETED', data: { odd: true }, usage: { total: 1 } },
    });
    expect(await api.getGeneration('yours', { apiKey: 'key' }, 1_000)).toEqual({
      kind: 'unavailable',
      code: 'UNREADABLE',
      reason: 'the answer 200 is not the record of this task',
    });
  });

  it('tells a task that is not there from an API that is not there', async () => {
    const api = await serve((request, response) => {
      response.statusCode = 404;
      const body = { code: 'PREDICTION_NOT_FOUND', message: 'no' };
      response.end(request.url?.endsWith('gone') ? JSON.stringify(body) : '<html>404</html>');
    });
    expect(await api.getGeneration('gone', { apiKey: 'key' }, 1_000)).toEqual({ kind: 'not-found' });
    expect(await api.getGeneration('lost', { apiKey: 'key' }, 1_000)).toEqual({
      kind: 'unavailable',
      code: 'HTTP_404',
      reason: 'the API answered 404 without an error body',
    });
  });

  it.each<[number, unknown, Record<string, string>, Record<string, unknown>]>([
    [
      400,
      { code: 'PREDICTION_NOT_FOUND', message: 'no' },
      {},
      { reason: 'the API answered 400 PREDICTION_NOT_FOUND: no' },
    ],
    [404, { code: 'NOT_FOUND', message: '' }, {}, { reason: 'the API answered 404 NOT_FOUND' }],
    [
      503,
      { code: 'BUSY', message: 'later' },
      { 'retry-after': '7' },
      { reason: 'the API answered 503 BUSY: later', retryAfter: 7_000 },
    ],
  ])('says of a GET that is answered %i %j why there is no record', async (status, body, headers, told) => {
    const api = await serve((_, response) => {
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
    const { code } = body as { code: string }; // of the table above
    expect(await api.getGeneration('t', { apiKey: 'key' }, 1_000)).toStrictEqual({
      kind: 'unavailable',
      code,
      ...told,
    });
    const { retryAfter: _, ...credits } = told;
    expect(await api.getCredits({ apiKey: 'key' }, 1_000)).toEqual({ kind: 'unavailable', code, ...credits });
  });

  it('asks for a record and for the balance below its base URL, however that ends', async () => {
    const requests: IncomingMessage[] = [];
    const slashes = await serve((request, response) => {
      requests.push(request);
      response.end(JSON.stringify(BALANCE));
    }, '/api/v1//');
    expect(await slashes.getCredits({ apiKey: 'key' }, 1_000)).toMatchObject({
      kind: 'credits',
      credits: { available: 7 },
    });
    await slashes.getGeneration('t', { apiKey: 'key' }, 1_000);
    expect(requests.map(({ method, url }) => [method, url])).toEqual([
      ['GET', '/api/v1/credits'],
      ['GET', '/api/v1/generation/t'],
    ]);
    for (const { headers } of requests) {
      expect(headers).toMatchObject({
        authorization: 'Bearer key',
        accept: 'application/json',
        'user-agent': 'darkroom',
      });
      expect(headers).not.toHaveProperty('x-darkroom-workflow');
    }
  });

  it('believes a balance only of an answer 200', async () => {
    const api = await serve((_, response) => {
      response.writeHead(500).end(JSON.stringify(BALANCE));
    });
    expect(await api.getCredits({ apiKey: 'key' }, 1_000)).toMatchObject({
      kind: 'unavailable',
      code: 'HTTP_500',
    });
  });

  it('says of an API that is not there that the network failed', async () => {
    const port = await listen(() => undefined);
    await cleanup.pop()?.();
    const api = apiAt(`http://127.0.0.1:${port}/api/v1`);
    const reason = `cannot talk to http://127.0.0.1:${port}: nothing listens there (connection refused) [ECONNREFUSED]`;
    const failed = { kind: 'unavailable', code: 'NETWORK', reason };
    expect(await api.getGeneration('t', { apiKey: 'key' }, 1_000)).toEqual(failed);
    expect(await api.getCredits({ apiKey: 'key' }, 1_000)).toEqual(failed);
  });

  it('throws what is a mistake of its caller', async () => {
    const api = apiAt('no address at all');
    await expect(api.getGeneration('t', { apiKey: 'key' }, 1_000)).rejects.toThrow('Invalid URL');
    await expect(submit(api)).rejects.toThrow('Invalid URL');
  });

  it('knows the service’s clock by the answers of the service, not by those of a gateway', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    let status = 300;
    const api = await serve((_, response) => {
      response.writeHead(status, { date }).end('{}');
    });
    for (status of [300, 401, 502]) await api.getCredits({ apiKey: 'key' }, 1_000);
    expect(api.clock.offset).toBeUndefined();
    status = 200;
    await api.getCredits({ apiKey: 'key' }, 1_000);
    expect(api.clock.offset).toBeGreaterThan(3_500_000);
  });

  it('reads an answer of 8 MiB, and nothing larger', async () => {
    const start = '{"id":"t","status":"COMPLETED","input":{},"usage":{},"data":"';
    let size = 8 * 1024 * 1024;
    const api = await serve((_, response) => {
      response.end(`${start}${'x'.repeat(size - start.length - 2)}"}`);
    });
    expect((await api.getGeneration('t', { apiKey: 'key' }, 10_000)).kind).toBe('record');
    size += 1;
    expect(await api.getGeneration('t', { apiKey: 'key' }, 10_000)).toEqual({
      kind: 'unavailable',
      code: 'NETWORK',
      reason: 'the answer is larger than 8388608 bytes',
    });
  });

  it('reads an answer under a large head', async () => {
    const api = await serve((_, response) => {
      response.writeHead(200, { 'x-trace': 'x'.repeat(20_000) }).end(JSON.stringify(BALANCE));
    });
    expect((await api.getCredits({ apiKey: 'key' }, 1_000)).kind).toBe('credits');
  });

  it('gives up what is under way when it is closed', async () => {
    const asked = Promise.withResolvers<void>();
    const api = await serve(() => asked.resolve());
    const outcome = submit(api, 20_000);
    await asked.promise;
    await api.close();
    const aborted = /^cannot talk to http:.+ \[[A-Z_]+\]$/;
    expect(await outcome).toEqual({ kind: 'unknown', reason: expect.stringMatching(aborted) as string });
  });

  it.each(['a-key-of-16-char', '8-chars.', 'sk+live/0123=='])(
    'passes on no text with the key %s, however it is spelled, with any status',
    (apiKey) => {
      const said = '<the API key>';
      const inner = JSON.stringify({ key: apiKey.replaceAll('/', '\\/') });
      const texts = [apiKey, encodeURIComponent(apiKey), encodeURIComponent(apiKey).toLowerCase(), inner];
      for (const status of [200, 401]) {
        for (const text of texts) {
          const escaped = JSON.stringify({ message: `no ${text}`, data: [{ [text]: text }] }).replaceAll(
            /[+/=.]/g,
            (one) => `\\u00${one.charCodeAt(0).toString(16)}`,
          );
          const { body } = readAnswer({ status, headers: {}, text: escaped }, { apiKey });
          expect(JSON.stringify(body)).toContain(`"no ${text === inner ? '{' : said}`);
          expect(JSON.stringify(body)).toContain(said);
          for (const spelled of texts) expect(JSON.stringify(body)).not.toContain(spelled);
        }
      }
    },
  );

  it('leaves a text alone that has a key of seven characters: such words stand in others', () => {
    const { body } = readAnswer(
      { status: 401, headers: {}, text: '{"message":"7-chars"}' },
      { apiKey: '7-chars' },
    );
    expect(body).toEqual({ message: '7-chars' });
  });

  it("passes on no text with a header's secret, in any spelling, and leaves short ones and URLs as they are", () => {
    const secret = 'sk/live+0123456789';
    const headers = {
      'x-provider-key': secret,
      'x-more': `${secret}-more`,
      'x-workspace': 'fifteen-letters',
    };
    const said = {
      message: `no ${secret}, ${encodeURIComponent(secret)}, ${secret}-more in fifteen-letters`,
      url: `https://files.example/${secret}/out.png`,
    };
    for (const status of [200, 401]) {
      const answer = { status, headers: {}, text: JSON.stringify(said) };
      expect(readAnswer(answer, { apiKey: 'a-key-of-16-char', headers }).body).toEqual({
        message: `no ${Array(3).fill('<a header of the workspace>').join(', ')} in fifteen-letters`,
        url: said.url,
      });
    }
  });

  it("leaves a record's input and data as they are where a prompt has the words of a header", () => {
    const headers = { 'x-workspace': 'Acme Film Studios' };
    const said = { message: 'no Acme Film Studios', input: { prompt: 'the gate of Acme Film Studios' } };
    const text = JSON.stringify({ ...said, data: { title: 'Acme Film Studios' } });
    expect(
      readAnswer({ status: 200, headers: {}, text }, { apiKey: 'a-key-of-16-char', headers }).body,
    ).toEqual({
      message: 'no <a header of the workspace>',
      input: said.input,
      data: { title: 'Acme Film Studios' },
    });
  });

  it('passes on a record without the key that it repeats', async () => {
    const apiKey = 'dk/live+0123456789';
    const api = await serve((_, response) => {
      const message = `bad header: ${apiKey}, ${encodeURIComponent(apiKey)}`;
      const record = { id: 't-1', status: 'FAILED', code: 'FAILED', message, input: { note: apiKey } };
      response.writeHead(200).end(JSON.stringify(record).replaceAll('/', '\\/'));
    });
    expect(await api.getGeneration('t-1', { apiKey }, 2_000)).toMatchObject({
      kind: 'record',
      record: { message: 'bad header: <the API key>, <the API key>', input: { note: '<the API key>' } },
    });
  });

  it('reads a record with halves of surrogate pairs, whose texts then can be passed on', async () => {
    const api = await serve((_, response) => {
      const half = '\ud800';
      const record = { id: 't-1', status: 'FAILED', code: half, message: half, data: { [half]: [half] } };
      response.writeHead(200).end(JSON.stringify(record));
    });
    const answer = await api.getGeneration('t-1', { apiKey: 'key' }, 2_000);
    expect(answer).toMatchObject({
      kind: 'record',
      record: { code: 'UNREADABLE_CODE', message: '\ufffd', data: { '\ufffd': ['\ufffd'] } },
    });
  });

  it.each(['\ud800', 'ein Wort', 'x'.repeat(201), 'zwölf', ''])(
    'takes no task id that cannot be one, and asks for none: %j',
    async (id) => {
      let asked = 0;
      const api = await serve((_, response) => {
        asked += 1;
        response.writeHead(200).end(JSON.stringify({ id, status: 'IN_QUEUE' }));
      });
      expect(await submit(api)).toMatchObject({ kind: 'unknown' });
      expect(await api.getGeneration(id, { apiKey: 'key' }, 2_000)).toEqual({ kind: 'not-found' });
      expect(asked).toBe(1);
    },
  );

  it.each([
    ['nested 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['of 300,000 values', `{"of":[{"all":[${'0,'.repeat(300_000)}0]}]}`],
  ])('reads a record whose data is %s without what is too much of it', async (_, data) => {
    const api = await serve((_, response) => {
      const url = 'https://files/1.png';
      const rest = `"usage":{"total":3},"data":{"image":{"url":"${url}"},"more":${data}}`;
      response.writeHead(200).end(`{"id":"t-1","status":"COMPLETED",${rest}}`);
    });
    const answer = await api.getGeneration('t-1', { apiKey: 'key' }, 5_000);
    expect(answer).toMatchObject({
      kind: 'record',
      record: { usage: { total: 3 }, data: { image: { url: 'https://files/1.png' } } },
    });
    expect(JSON.stringify(answer)).toContain('left out');
  });

  it('follows no redirect of a submit, which may have been accepted', async () => {
    let asked = 0;
    const api = await serve((_, response) => {
      asked += 1;
      response.writeHead(303, { location: '/elsewhere' }).end();
    });
    expect(await submit(api)).toMatchObject({ kind: 'unknown' });
    expect(asked).toBe(1);
  });

  it('passes on what a refusal says, but not the key that it repeats', async () => {
    const api = await serve((request, response) => {
      const message = `Incorrect API key provided: ${request.headers.authorization}`;
      const errors = [{ path: 'authorization', message, code: 'invalid' }];
      response.writeHead(401).end(JSON.stringify({ code: 'UNAUTHORIZED', message, errors }));
    });
    const apiKey = 'dk_live_0123456789';
    const call = { path: 'generation/darkroom/image-l', body: { prompt: 'x' }, apiKey, timeout: 2_000 };
    const refusals = [
      await api.submit(call),
      await api.getGeneration('t-1', { apiKey }, 2_000),
      await api.getCredits({ apiKey }, 2_000),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ code: 'UNAUTHORIZED' });
      expect(JSON.stringify(refusal)).toContain('Incorrect API key provided: Bearer <the API key>');
      expect(JSON.stringify(refusal)).not.toContain(apiKey);
    }
  });

  it('cannot be led astray by a task id', async () => {
    const urls: (string | undefined)[] = [];
    const api = await serve((request, response) => {
      urls.push(request.url);
      response.end('{}');
    });
    await api.getGeneration('../credits?x=/#', { apiKey: 'key' }, 1_000);
    expect(urls).toEqual(['/api/v1/generation/..%2Fcredits%3Fx%3D%2F%23']);
  });
});
