import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Stands between the media API and the receivers, and notes when the end of each task was acknowledged: by this
 * process's clock, as the arrival of results is.
 */
export class Gateway {
  /** By task id: when the receiver had answered 2xx to its `task.completed`, on `performance.now()`'s clock. */
  readonly accepted = new Map<string, number>();
  readonly #server = createServer((request, response) => void this.#pass(request, response));
  readonly #targets = new Map<string, string>();

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** @returns the address under which the target is reached through here */
  addressOf(name: string, target: string): string {
    this.#targets.set(`/${name}`, target);
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`; // it listens on TCP
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set: chunks are buffers
    const body = Buffer.concat(chunks);
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const target = this.#targets.get(request.url ?? '') ?? '';
    const passed = httpRequest(target, { method: 'POST', headers }, (answer) => {
      const at = performance.now();
      const { statusCode = 502 } = answer;
      answer.resume();
      if (statusCode < 300) this.#note(body, at);
      response.writeHead(statusCode).end();
    });
    passed.once('error', () => response.writeHead(502).end());
    passed.end(body);
  }

  #note(body: Buffer, at: number): void {
    const { event, prediction } = JSON.parse(body.toString('utf8')) as {
      event: string;
      prediction: { id: string };
    }; // the emulator's own events
    if (event === 'task.completed') this.accepted.set(prediction.id, at);
  }
}
