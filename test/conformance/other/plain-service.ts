import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const KEY = 'sk-plain';
const PRICE = 8;

/** What it says of itself. */
export const ABOUT = {
  name: 'the plain service',
  costsNothing: true,
  lacks: {
    charges: 'its balance never changes',
    files: 'its outputs lead nowhere',
    forms: 'it reads JSON alone',
    limits: 'it takes any input',
    'unknown paths': 'it makes something of every path',
    'versioned paths': 'it does not look at versions',
    webhooks: 'it sends none',
  },
};

interface Kept {
  input: Record<string, unknown>;
  asked: number;
}

/**
 * A media API that shares no code with ours, small and incomplete: a second voice for the suite. It keeps tasks, whose
 * records say IN_QUEUE, IN_PROGRESS and COMPLETED as they are asked for, a balance and one key.
 */
export class PlainService implements AsyncDisposable {
  readonly #tasks = new Map<string, Kept>();
  readonly #server: Server = createServer((request, response) => {
    void this.#answer(request).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });

  static async start(): Promise<PlainService> {
    const service = new PlainService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on TCP
    return `http://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    const path = (request.url ?? '').replace('/api/v1/', '');
    if (path === '/about') return [200, ABOUT];
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return [401, { code: 'UNAUTHORIZED', message: 'Who are you?' }];
    if (path === 'credits') return [200, BALANCE];
    if (request.method === 'POST') return this.#submit(path, await textOf(request));
    return this.#record(path.replace('generation/', ''));
  }

  #submit(path: string, text: string): [number, unknown] {
    const id = randomUUID();
    // The number of results is said where the model has one; this service knows no model by name.
    const input = JSON.parse(text) as Record<string, unknown>; // whatever it is
    this.#tasks.set(id, { input: { ...input, $path: path }, asked: 0 });
    return [200, { id, status: 'IN_QUEUE', input, usage: USAGE }];
  }

  #record(id: string): [number, unknown] {
    const task = this.#tasks.get(id);
    if (task === undefined && !/^[\w-]+$/.test(id))
      return [422, { code: 'INVALID_INPUT', message: 'No id.' }];
    if (task === undefined) return [404, { code: 'PREDICTION_NOT_FOUND', message: 'There is none.' }];
    task.asked += 1;
    const { $path: path, ...input } = task.input;
    const status = (['IN_QUEUE', 'IN_PROGRESS'] as const)[task.asked - 1] ?? 'COMPLETED';
    const data = status === 'COMPLETED' ? outputOf(String(path)) : null;
    return [200, { id, status, input, data, usage: USAGE }];
  }
}

const USAGE = { total: PRICE, subscription: 0, permanent: PRICE };
const BALANCE = {
  permanent: 500,
  subscription: 20,
  subscription_expires_at: '2030-01-31T00:00:00.000Z',
  available: 520,
};

function outputOf(path: string): unknown {
  const asset = { url: 'https://files.invalid/one' };
  if (/video|lip/.test(path)) return { type: 'video', videos: [asset], video: asset };
  if (/speech/.test(path)) return { type: 'audio', audios: [asset], audio: asset };
  return { type: 'image', images: [asset], image: asset };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // a request streams buffers
  return Buffer.concat(chunks).toString('utf8');
}
