import { Counter, Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { askedSeldom } from '../../src/operations/asked-seldom.ts';
import { Operations } from '../../src/operations/operations.ts';
import { OperationsServer } from '../../src/operations/operations-server.ts';
import { sendRaw } from '../webhooks/http/raw-request.ts';

const servers: OperationsServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(isReady: () => Promise<boolean> = async () => true): Promise<OperationsServer> {
  const registry = new Registry();
  new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3);
  const server = new OperationsServer(new Operations({ registry, isReady }));
  await server.listen({ host: '127.0.0.1', port: 0 });
  servers.push(server);
  return server;
}

describe('the port for operators', () => {
  it('tells that the process runs, whether it is ready, and what is in the registry', async () => {
    let ready = true;
    const { port } = await start(async () => ready);
    const get = async (path: string): Promise<[number, string]> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return [answer.status, await answer.text()];
    };
    expect([await get('/healthz'), await get('/readyz?from=balancer')]).toEqual([
      [200, 'ok\n'],
      [200, 'ready\n'],
    ]);
    ready = false;
    expect([await get('/healthz'), await get('/readyz')]).toEqual([
      [200, 'ok\n'],
      [503, 'not ready\n'],
    ]);
    const [status, metrics] = await get('/metrics');
    expect([status, metrics.includes('things_total 3')]).toEqual([200, true]);
  });

  it('takes GET and HEAD only, and knows no other path', async () => {
    const { port } = await start();
    const statusOf = async (line: string): Promise<number> =>
      (await sendRaw(port, `${line} HTTP/1.1\r\nHost: h\r\n\r\n`)).status;
    expect(await statusOf('HEAD /healthz')).toBe(200);
    expect(await statusOf('GET http://h/healthz')).toBe(200);
    expect(await statusOf('POST /metrics')).toBe(405);
    for (const path of ['/', '/webhooks', '/constructor', '*'])
      expect(await statusOf(`GET ${path}`)).toBe(404);
  });

  it('is not ready where that cannot be told', async () => {
    const { port } = await start(async () => {
      throw new Error('broken');
    });
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  });

  it('cannot be shared with another process', async () => {
    const { port } = await start();
    const other = new OperationsServer(
      new Operations({ registry: new Registry(), isReady: async () => true }),
    );
    await expect(other.listen({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
  });
});

it('a question that is asked often is passed on seldom', async () => {
  let asked = 0;
  const ask = askedSeldom(async () => (asked += 1));
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
});
