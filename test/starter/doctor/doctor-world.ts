import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Endpoint } from '../../../emulator/src/webhooks/endpoints.ts';
import type { Finding } from '../../../src/contract/finding.ts';
import { openWorld, type World } from '../../workflows/world.ts';
import { starterHere } from '../run-program.ts';

/** A deployment, and `doctor` with the settings of its workers. */
export interface DoctorWorld extends World {
  endpoint: Endpoint;
  /** What the receiver's public address is. */
  webhookUrl(): string;
  /** The findings; `env` and `args` beside the usual ones. Undefined variables are not set. */
  doctor(
    env?: Record<string, string | undefined>,
    args?: string[],
  ): Promise<{ code: number | null; findings: Finding[] }>;
}

export async function openDoctorWorld(): Promise<DoctorWorld> {
  const world = await openWorld();
  const { config, emulator } = world;
  const [endpoint] = emulator.service().endpoints.all();
  if (endpoint === undefined) throw new Error('the world has an endpoint');
  const webhookUrl = () => endpoint.url;
  return {
    ...world,
    endpoint,
    webhookUrl,
    async doctor(env = {}, args = ['--webhook-url', webhookUrl()]) {
      const { apiKey, webhookSecrets } = config.workspaces.get('default') ?? {};
      const settings = {
        TEMPORAL_ADDRESS: config.temporal.address,
        TEMPORAL_NAMESPACE: config.temporal.namespace,
        DARKROOM_TASK_QUEUE: config.taskQueue,
        DARKROOM_API_URL: config.apiUrl,
        DARKROOM_API_KEY: apiKey,
        DARKROOM_WEBHOOK_SECRET: webhookSecrets?.join(','),
        ...env,
      };
      const set = Object.entries(settings).filter((entry): entry is [string, string] => Boolean(entry[1]));
      const { code, stdout, stderr, json } = await starterHere(
        ['doctor', '--json', ...args],
        Object.fromEntries(set),
      );
      if (stdout === '') throw new Error(stderr);
      return { code, findings: (json() as { findings: Finding[] }).findings }; // the contract's
    },
  };
}

/** Whatever answers HTTP at an address of its own, until `close`. */
export async function listening(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => unknown,
): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(request, response, body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() };
}

/** What stands before a receiver and passes requests on, with another body. */
export function proxyTo(url: string, change: (body: string) => string) {
  return listening(async ({ headers }, response, body) => {
    const signed = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'));
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...Object.fromEntries(signed as [string, string][]), 'content-type': 'application/json' },
      body: change(body),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
}
