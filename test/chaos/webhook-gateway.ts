import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery that came from the emulator. */
export interface PassedEvent {
  /** ISO 8601. */
  at: string;
  event: string;
  taskId: string;
  /** What the receiver answered with; null: none could be reached. */
  status: number | null;
}

/**
 * The load balancer in front of the receivers. Everything that the emulator sends passes here, so it knows which
 * tasks the outside was told of, whatever became of the event afterwards: what never came here, the emulator lost.
 */
export class WebhookGateway {
  /** When an event was last sent (ms since the epoch), by the ids of tasks: any of them tells of its task. */
  readonly told = new Map<string, number>();
  readonly passed: PassedEvent[] = [];
  readonly #server: Server;
  readonly #receivers: readonly number[];
  #turn = 0;
  #away = false;

  private constructor(receivers: readonly number[]) {
    this.#receivers = receivers;
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  /** @param receivers their ports; one that does not answer is passed over */
  static async start(receivers: readonly number[]): Promise<WebhookGateway> {
    const gateway = new WebhookGateway(receivers);
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhooks`; // it listens on TCP
  }

  /** While away it drops every connection, as if the receivers' network were gone. */
  set away(away: boolean) {
    this.#away = away;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(405).end(); // somebody looks around: not the emulator
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set: chunks are buffers
    const body = Buffer.concat(chunks);
    const { event, prediction } = JSON.parse(body.toString('utf8')) as {
      event: string;
      prediction: { id: string };
    }; // the emulator's own events
    const taskId = prediction.id;
    this.told.set(taskId, Date.now());
    const at = new Date().toISOString();
    const status = this.#away ? undefined : await this.#forward(request, body);
    this.passed.push({ at, event, taskId, status: status ?? null });
    if (status !== undefined) response.writeHead(status).end();
    else if (this.#away) request.socket.destroy();
    else response.writeHead(502).end();
  }

  async #forward(request: IncomingMessage, body: Buffer): Promise<number | undefined> {
    this.#turn += 1;
    for (let index = 0; index < this.#receivers.length; index += 1) {
      const port = this.#receivers[(this.#turn + index) % this.#receivers.length] ?? 0;
      const status = await forward(port, request, body);
      if (status !== undefined) return status;
    }
    return undefined;
  }
}

/** @returns the receiver's status; undefined when it could not be reached, or went away before it answered */
function forward(port: number, { url, headers }: IncomingMessage, body: Buffer): Promise<number | undefined> {
  return new Promise((resolve) => {
    const { host: _, connection: _c, ...rest } = headers;
    const options = {
      host: '127.0.0.1',
      port,
      path: url ?? '/',
      method: 'POST',
      headers: rest,
      agent: false,
    };
    const passed = httpRequest(options, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
      answer.once('close', () => resolve(answer.complete ? answer.statusCode : undefined));
    });
    passed.once('error', () => resolve(undefined));
    passed.end(body);
  });
}
