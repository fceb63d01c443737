import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type PlainRequest, readPlainRequest } from '../../../src/webhooks/http/plain-request.ts';
import {
  noSignatureHeaders,
  readSignatureHeaders,
} from '../../../src/webhooks/signature/signature-headers.ts';
import { Dice, mutate } from '../signature/mutate.ts';
import { delivery, event, legacyHeaders, standardHeaders } from '../signed-delivery.ts';
import { post } from './raw-request.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const MAX_HEAD = 8 * 1024;

type Read = PlainRequest | 'error';

/** How node:http reads what comes over each connection: its requests, and 'error' for what it refuses. */
async function readByNode(all: readonly Buffer[]): Promise<Read[][]> {
  const byPort = new Map<number | undefined, Read[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', rawHeaders, method, socket } = request;
      const signatureHeaders = readSignatureHeaders(rawHeaders) ?? noSignatureHeaders();
      byPort
        .get(socket.remotePort)
        ?.push({ path: `${method} ${url}`, signatureHeaders, body: Buffer.concat(chunks) });
      response.shouldKeepAlive = false;
      response.end();
    });
  });
  server.on('clientError', (_, socket: Socket) => {
    byPort.get(socket.remotePort)?.push('error');
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const send = (bytes: Buffer): Promise<Read[]> =>
    new Promise((resolve) => {
      const reads: Read[] = [];
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
        byPort.set(socket.localPort, reads);
        socket.write(bytes);
      }); // a TCP address
      socket.on('error', () => {});
      socket.resume().on('close', () => resolve(reads));
    });
  const results: Read[][] = [];
  for (let i = 0; i < all.length; i += 50)
    results.push(...(await Promise.all(all.slice(i, i + 50).map(send))));
  server.close();
  return results;
}

describe('a plain request', () => {
  const signed = delivery(event('task.completed', 't1'));
  const headers = { ...standardHeaders(signed), ...legacyHeaders(signed, 'task.completed') };
  const request = post(headers, signed.body, '/webhooks/studio?x=1');
  const text = request.toString('latin1');

  it('is read with its path, headers and body', () => {
    const read = readPlainRequest(request, MAX_HEAD);
    expect(read?.path).toBe('/webhooks/studio?x=1');
    expect(read?.signatureHeaders).toEqual(readSignatureHeaders(Object.entries(headers).flat()));
    expect(read?.body.equals(signed.body)).toBe(true);
  });

  it.each<[string, string]>([
    ['another method', text.replace('POST', 'PUT')],
    ['another version', text.replace('HTTP/1.1', 'HTTP/1.0')],
    ['no host', text.replace('Host: localhost\r\n', '')],
    ['two hosts', text.replace('Host: localhost\r\n', 'Host: localhost\r\nhost: localhost\r\n')],
    ['no length', text.replace(/Content-Length: \d+\r\n/, '')],
    ['a length with a leading zero', text.replace('Content-Length: ', 'Content-Length: 0')],
    ['two lengths', text.replace(/(Content-Length: \d+\r\n)/, '$1$1')],
    ['a body that has not come whole', text.slice(0, -1)],
    ['more than a body', `${text}G`],
    ['a head that has not come whole', text.slice(0, 100)],
    ['a head that is too long', text.replace('Host', `X-A: ${'a'.repeat(MAX_HEAD)}\r\nHost`)],
    ['another media type', text.replace('application/json', 'application/json; charset=utf-8')],
    ['chunks', text.replace('Host', 'Transfer-Encoding: chunked\r\nHost')],
    ['an encoding', text.replace('Host', 'Content-Encoding: gzip\r\nHost')],
    ['an expectation', text.replace('Host', 'Expect: 100-continue\r\nHost')],
    ['an end of the connection', text.replace('Host', 'Connection: close\r\nHost')],
    ['an upgrade', text.replace('Host', 'Connection: upgrade\r\nUpgrade: websocket\r\nHost')],
    ['a folded header', text.replace('Host', 'X-A: a\r\n b\r\nHost')],
    ['a bare line feed', text.replace('Host', 'X-A: a\nHost')],
    ['bytes that are not ASCII', text.replace('Host', 'X-A: \xfc\r\nHost')],
    ['a signature header twice', text.replace('Host', 'Webhook-Id: evt_1\r\nHost')],
    ['nothing', ''],
  ])('is none with %s: that is for node:http to judge', (_what, other) => {
    expect(readPlainRequest(Buffer.from(other, 'latin1'), MAX_HEAD)).toBeUndefined();
  });

  it(`means to node:http exactly what it means here, whatever was done to it (seed ${SEED})`, async () => {
    const dice = new Dice(SEED);
    const read = Array.from({ length: 4_000 }, () => mutate(request, dice)).flatMap((bytes) => {
      const plain = readPlainRequest(bytes, MAX_HEAD);
      return plain === undefined ? [] : [{ bytes, plain }];
    });
    expect(read.length).toBeGreaterThan(300);
    const byNode = await readByNode(read.map(({ bytes }) => bytes));
    for (const [i, { plain }] of read.entries()) {
      expect(byNode[i]).toEqual([{ ...plain, path: `POST ${plain.path}`, body: Buffer.from(plain.body) }]);
    }
  });
});
