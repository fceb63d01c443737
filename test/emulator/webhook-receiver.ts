import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from './api-caller.ts';

/** One POST that came in. */
export interface Received {
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
      this.received.push({ headers: request.headers, raw, payload: JSON.parse(raw) });
      const status = this.answers.shift() ?? 204;
      void sleep(this.delay).then(() => response.writeHead(status).end(status === 204 ? undefined : 'noted'));
    });
  });

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.#server.address() as AddressInfo; // it listens on TCP
    receiver.url = `http://127.0.0.1:${port}/webhooks`;
    return receiver;
  }

  /** The events that came in, by type, in order. */
  types(taskId?: string): string[] {
    return this.of(taskId).map(({ payload }) => String(payload.event));
  }

  of(taskId?: string): Received[] {
    return this.received.filter(({ payload }) => taskId === undefined || payload.prediction.id === taskId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
