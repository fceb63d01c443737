import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import type { Answer, Asked, Protocol, Refusal, TaskRecord } from './protocol.ts';

const HOST = '127.0.0.1';
/** How often the edge looks for the end of a task whose POST is to be answered with its result. */
const LOOK_EVERY = 100;
const ORDER = /order (\d+)/;

/** What becomes of a POST. `lost`: the task is made and charged, and the connection is reset before the answer. */
export type Fate = 'taken' | 'lost' | Refusal;

export interface EdgeOptions {
  protocol: Protocol;
  /** The emulator's base URL, and the key of this competitor's workspace. */
  api: { baseUrl: string; apiKey: string };
  /** @param nth from 1: which POST of this order it is */
  fate: (order: number, nth: number) => Fate;
}

/** What the edge has seen of one order. */
interface Seen {
  posts: number;
  gets: number;
  taken: number;
}

/**
 * The front door of a service: takes a package's requests in its own protocol, makes the emulator's submits and reads
 * of them, and applies the faults, alike for all. Knows an order by the number in its prompt.
 */
export class Edge {
  /** Orders whose next POSTs are taken and not answered until `release`. */
  readonly held = new Set<number>();
  /** Whether a POST came with an idempotency key of any name. */
  idempotencyKey = false;
  readonly #options: EdgeOptions;
  readonly #seen = new Map<number, Seen>();
  readonly #orderOf = new Map<string, number>();
  #released = Promise.withResolvers<void>();
  #server: Server | undefined;
  #port = 0;

  constructor(options: EdgeOptions) {
    this.#options = options;
  }

  get url(): string {
    return `http://${HOST}:${this.#port}`;
  }

  /** Begins to listen; after `away` at the same port. */
  async open(): Promise<void> {
    this.#server = createServer((incoming, response) => void this.#serve(incoming, response));
    // An idle connection that the server closes just when it is used again would be a fault that nobody has planned.
    this.#server.keepAliveTimeout = 0;
    this.#server.listen(this.#port, HOST);
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port; // it listens on TCP
  }

  /** The API is away: connections break, new ones are refused. */
  async away(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
  }

  release(): void {
    this.held.clear();
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  of(order: number): Seen {
    let seen = this.#seen.get(order);
    if (seen === undefined) {
      seen = { posts: 0, gets: 0, taken: 0 };
      this.#seen.set(order, seen);
    }
    return seen;
  }

  total(what: 'posts' | 'gets'): number {
    return [...this.#seen.values()].reduce((sum, seen) => sum + seen[what], 0);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await text(incoming);
      const { method = 'GET', url = '/' } = incoming;
      const asked = this.#options.protocol.read(method, url, body);
      if (asked === undefined) send(response, await this.#passOn(url));
      else if (asked.kind === 'submit') await this.#submit(asked, incoming, response);
      else send(response, await this.#record(asked));
    } catch {
      incoming.socket.destroy(); // the caller has gone, or the emulator
    }
  }

  async #submit(
    { input, isHeld }: Extract<Asked, { kind: 'submit' }>,
    { headers, socket }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const order = Number(ORDER.exec(input.prompt)?.[1]);
    const seen = this.of(order);
    seen.posts += 1;
    this.idempotencyKey ||= Object.keys(headers).some((name) => name.includes('idempoten'));
    const fate = this.#options.fate(order, seen.posts);
    const { protocol } = this.#options;
    if (fate !== 'taken' && fate !== 'lost') return send(response, protocol.refused(fate));
    const taken = await this.#call('POST', 'generation/darkroom/image-l', order, input);
    if (taken.status >= 300) return send(response, taken);
    const task = taken.body as TaskRecord; // the emulator's answer to a submit
    this.#orderOf.set(task.id, order);
    seen.taken += 1;
    if (fate === 'lost') return void socket.resetAndDestroy();
    if (this.held.has(order)) await this.#released.promise;
    send(response, isHeld ? await this.#untilDone(task, response) : protocol.accepted(task));
  }

  /** The answer of a service that keeps the POST open until the task is done. */
  async #untilDone({ id }: TaskRecord, response: ServerResponse): Promise<Answer> {
    for (;;) {
      const { body } = await this.#call('GET', `generation/${id}`);
      const task = body as TaskRecord; // the emulator's record
      if (['COMPLETED', 'FAILED', 'CANCELED'].includes(task.status)) {
        return this.#options.protocol.record(task, 'result');
      }
      if (response.destroyed) throw new Error('the caller has gone');
      await delay(LOOK_EVERY);
    }
  }

  async #record({ taskId, view }: Extract<Asked, { kind: 'record' }>): Promise<Answer> {
    const order = this.#orderOf.get(taskId);
    if (order !== undefined) this.of(order).gets += 1;
    const answer = await this.#call('GET', `generation/${taskId}`);
    return answer.status < 300 ? this.#options.protocol.record(answer.body as TaskRecord, view) : answer;
  }

  /** What has nothing to do with tasks: the balance, for example. */
  async #passOn(url: string): Promise<Answer> {
    return await this.#call('GET', url.replace(/^.*\/api\/v1\//, ''));
  }

  async #call(method: 'GET' | 'POST', path: string, order?: number, input?: object): Promise<Answer> {
    const { baseUrl, apiKey } = this.#options.api;
    const { statusCode, body } = await request(`${baseUrl}/${path}`, {
      method,
      reset: true, // for the same reason
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(order === undefined ? {} : { 'x-darkroom-workflow': `order/${order}` }),
      },
      ...(input === undefined ? {} : { body: JSON.stringify(input) }),
    });
    return { status: statusCode, body: await body.json() };
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
