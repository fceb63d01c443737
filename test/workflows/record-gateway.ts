import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../src/api/json/is-record.ts';
import type { World } from './world.ts';

type TaskRecord = Record<string, unknown>;

/** Puts a gateway between a world's worker and its API, which answers for a record with what it is made into. */
export async function throughGateway(
  world: World,
  change: (record: TaskRecord, prompt: string) => TaskRecord,
): Promise<Server> {
  await world.stopWorker();
  const { origin, pathname } = new URL(world.config.apiUrl);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void pass().catch(() => response.destroy()));
    const pass = async (): Promise<void> => {
      const { method = 'GET', url = '/' } = request;
      const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' && !HOP.has(name) ? [[name, value]] : [],
      );
      const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) };
      const answer = await fetch(new URL(url, origin), { method, headers, ...body });
      const told: unknown = await answer.json();
      const isTask = method === 'GET' && isRecord(told) && isRecord(told['input']);
      const given = isTask ? change(told, String(isRecord(told['input']) && told['input']['prompt'])) : told;
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(given));
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  Object.assign(world.config, { apiUrl: `http://127.0.0.1:${port}${pathname}` });
  await world.startWorker();
  return server;
}

/** What belongs to a connection, and not to what is asked on it. */
const HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'keep-alive']);
