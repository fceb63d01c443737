import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hooks } from './hooks.ts';

/** What is found out of a request on its way. */
export interface Callers {
  /** Whose task it is. */
  workflowOfTask: (taskId: string) => string | undefined;
}

/** How long after its sender has left a request that was held still gets to the API (ms): no network keeps it for good. */
const KEPT = 1_000;

/**
 * Stands between the workers and the API: a request can be held before it gets there, and its answer before it gets
 * back. What breaks on one side breaks on the other.
 */
export class ApiGate {
  /** When the answer with a task's id was handed on whole (ms since the epoch). */
  readonly answered = new Map<string, number>();
  /** How far the clock is ahead that dates the answers (ms). */
  clockAhead = 0;
  readonly #server: Server;
  readonly #hooks: Hooks;
  readonly #callers: Callers;
  readonly #target: URL;

  private constructor(target: URL, hooks: Hooks, callers: Callers) {
    this.#target = target;
    this.#hooks = hooks;
    this.#callers = callers;
    this.#server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  static async start(apiUrl: string, hooks: Hooks, callers: Callers): Promise<ApiGate> {
    const gate = new ApiGate(new URL(apiUrl), hooks, callers);
    await new Promise<void>((resolve) => gate.#server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on TCP
    return `http://127.0.0.1:${port}${this.#target.pathname}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set: chunks are buffers
    const workflowId = this.#callerOf(request);
    const hold = async (phase: 'sent' | 'answered'): Promise<void> => {
      if (workflowId !== undefined) await this.#hooks.pass({ workflowId, what: method, phase });
    };
    let leftAt = Infinity;
    response.once('close', () => {
      leftAt = Date.now();
    });
    await hold('sent');
    if (Date.now() - leftAt > KEPT) return;
    const answer = await this.#forward(request, url, Buffer.concat(chunks));
    await hold('answered');
    if (answer === undefined) {
      response.destroy();
      return;
    }
    const { status, headers, body } = answer;
    const date = new Date(Date.now() + this.clockAhead).toUTCString();
    response.writeHead(status, { ...headers, date });
    response.end(body, () => {
      const taskId = method === 'POST' ? idIn(body) : undefined;
      // Whoever asked may be gone by now.
      if (taskId !== undefined && !response.destroyed) this.answered.set(taskId, Date.now());
    });
  }

  #callerOf({ url = '', method, headers }: IncomingMessage): string | undefined {
    if (method === 'POST') {
      const workflow = headers['x-darkroom-workflow'];
      return typeof workflow === 'string' ? decodeURI(workflow) : undefined;
    }
    const taskId = /\/generation\/([\w-]+)$/.exec(url)?.[1];
    return taskId === undefined ? undefined : this.#callers.workflowOfTask(taskId);
  }

  #forward(
    { method, headers }: IncomingMessage,
    path: string,
    body: Buffer,
  ): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer } | undefined> {
    const { host: _, connection: _c, ...rest } = headers;
    const { hostname, port } = this.#target;
    return new Promise((resolve) => {
      const lost = (): void => resolve(undefined);
      const options = { hostname, port, path, method, headers: rest, agent: false } as const;
      const passed = httpRequest(options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => void chunks.push(chunk));
        answer.once('error', lost);
        answer.once('close', () => {
          if (!answer.complete) return lost();
          const { connection: _a, 'keep-alive': _k, 'transfer-encoding': _t, ...kept } = answer.headers;
          resolve({ status: answer.statusCode ?? 502, headers: kept, body: Buffer.concat(chunks) });
        });
      });
      passed.once('error', lost);
      passed.end(body);
    });
  }
}

function idIn(body: Buffer): string | undefined {
  try {
    const { id } = JSON.parse(body.toString('utf8')) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
