import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EventType, TERMINAL_EVENTS } from '../../src/api/event-types.ts';

/** Events that tell Darkroom of a task: `task.started` is one that it never looks at (docs/ARCHITECTURE.md). */
const TELLING: ReadonlySet<string> = new Set([...TERMINAL_EVENTS, 'task.created' satisfies EventType]);

/**
 * The load balancer in front of the receivers. Everything that the emulator sends passes here, so it knows which
 * tasks the outside was told of, whatever became of the event afterwards: what never came here, the emulator lost.
 */
export class WebhookGateway {
  /** Ids of tasks of which at least one telling event was sent. */
  readonly told = new Set<string>();
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
    this.#remember(body);
    if (this.#away) {
      request.socket.destroy();
      return;
    }
    this.#turn += 1;
    for (let index = 0; index < this.#receivers.length; index += 1) {
      const port = this.#receivers[(this.#turn + index) % this.#receivers.length] ?? 0;
      const status = await forward(port, request, body);
      if (status === undefined) continue;
      response.writeHead(status).end();
      return;
    }
    response.writeHead(502).end();
  }

  #remember(body: Buffer): void {
    const { event, prediction } = JSON.parse(body.toString('utf8')) as {
      event: string;
      prediction: { id: string };
    }; // the emulator's own events
    if (TELLING.has(event)) this.told.add(prediction.id);
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
