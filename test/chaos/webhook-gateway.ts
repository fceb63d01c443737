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
  /** When it came, and when the receiver had answered. ISO 8601. */
  at: string;
  answeredAt?: string;
  event: string;
  taskId: string;
  /** What the receiver answered with; null: nothing yet, or none could be reached. */
  status: number | null;
}

/** A delivery on its way. */
export interface Delivery {
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

type Bend = (delivery: Delivery) => Delivery;

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
  readonly #bend: Bend;
  #turn = 0;
  /** The paths that are away: all that begin so. */
  readonly #away = new Set<string>();

  private constructor(receivers: readonly number[], bend: Bend) {
    this.#receivers = receivers;
    this.#bend = bend;
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  /**
   * @param receivers their ports; one that does not answer is passed over
   * @param bend what becomes of each delivery on its way
   */
  static async start(
    receivers: readonly number[],
    bend: Bend = (delivery) => delivery,
  ): Promise<WebhookGateway> {
    const gateway = new WebhookGateway(receivers, bend);
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhooks`; // it listens on TCP
  }

  /**
   * While away it drops every connection, as if the receivers' network were gone.
   *
   * @param workspace of that one alone; '': of all
   */
  away(workspace: string, isAway: boolean): void {
    if (isAway) this.#away.add(`/webhooks/${workspace}`);
    else this.#away.delete(`/webhooks/${workspace}`);
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
    const passed: PassedEvent = { at: new Date().toISOString(), event, taskId, status: null };
    this.passed.push(passed);
    const { url = '/' } = request;
    const delivery = this.#bend({ url, headers: request.headers, body });
    const isAway = [...this.#away].some((path) => `${url}/`.startsWith(path));
    const status = isAway ? undefined : await this.#forward(delivery);
    passed.answeredAt = new Date().toISOString();
    passed.status = status ?? null;
    if (status !== undefined) response.writeHead(status).end();
    else if (isAway) request.socket.destroy();
    else response.writeHead(502).end();
  }

  async #forward(delivery: Delivery): Promise<number | undefined> {
    this.#turn += 1;
    for (let index = 0; index < this.#receivers.length; index += 1) {
      const port = this.#receivers[(this.#turn + index) % this.#receivers.length] ?? 0;
      const status = await forward(port, delivery);
      if (status !== undefined) return status;
    }
    return undefined;
  }
}

/** @returns the receiver's status; undefined when it could not be reached, or went away before it answered */
function forward(port: number, { url, headers, body }: Delivery): Promise<number | undefined> {
  return new Promise((resolve) => {
    const { host: _, connection: _c, ...rest } = headers;
    const options = {
      host: '127.0.0.1',
      port,
      path: url,
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
