import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../api-caller.ts';

/** One POST that came in. */
export interface Received {
  method: string | undefined;
  headers: IncomingHttpHeaders;
  raw: string;
  payload: Json;
}

/** A receiver of webhooks that keeps what comes in and answers as it is told. */
export class WebhookReceiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** The status of the next answers, in order; when it is empty, 204. */
  readonly answers: number[] = [];
  /** Milliseconds before each answer. */
  delay = 0;
  url = '';
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      this.received.push({ method: request.method, headers: request.headers, raw, payload: parsed(raw) });
      const status = this.answers.shift() ?? 204;
      void sleep(this.delay).then(() => response.writeHead(status).end(status === 204 ? undefined : 'noted'));
    });
  });

  /** @param wanted the port to listen on; 0: a free one */
  static async start(wanted = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve, reject) =>
      receiver.#server.once('error', reject).listen(wanted, '127.0.0.1', resolve),
    );
    const { port } = receiver.#server.address() as AddressInfo; // it listens on TCP
    receiver.url = `http://127.0.0.1:${port}/webhooks`;
    return receiver;
  }

  /** The events that came in, by type, in order. */
  types(taskId?: string): string[] {
    return this.of(taskId).map(({ payload }) => String(payload.event));
  }

  of(taskId?: string): Received[] {
    return this.received.filter(({ payload }) => taskId === undefined || payload?.prediction?.id === taskId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Anything may come in where a receiver can be reached from outside. */
function parsed(raw: string): Json {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
