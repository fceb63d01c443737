import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

export interface OperationsDeps {
  /** What `/metrics` shows; undefined on a port that strangers reach, which has no such path. */
  registry?: Registry;
  /** Metrics of others in this process, as Prometheus reads them: they are shown after those of the registry. */
  more?: (() => Promise<string>) | undefined;
  /** Whether work can be taken now. */
  isReady: () => Promise<boolean>;
}

/**
 * The paths for operators: `GET /healthz` (the process runs), `GET /readyz` (work can be taken: Temporal takes writes and
 * no shutdown is under way) and `GET /metrics` (Prometheus).
 */
export class Operations {
  readonly #deps: OperationsDeps;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
    const { registry, more = async () => '' } = deps;
    if (registry !== undefined) {
      this.#answers['/metrics'] = async () => ({
        status: 200,
        type: registry.contentType,
        body: `${await registry.metrics()}${await more()}`,
      });
    }
  }

  /** @returns whether the path (without its query) is one of them; then the answer is under way */
  handle(path: string, request: IncomingMessage, response: ServerResponse): boolean {
    const answer = Object.hasOwn(this.#answers, path) ? this.#answers[path] : undefined;
    if (answer === undefined) return false;
    if (request.method === 'GET' || request.method === 'HEAD') {
      answer().then(
        ({ status, type = 'text/plain', body }) =>
          response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
        () => response.writeHead(500, { 'content-length': '0' }).end(),
      );
    } else {
      // A body that may come is not read: the connection ends with the answer.
      response.writeHead(405, { allow: 'GET, HEAD', connection: 'close', 'content-length': '0' }).end();
    }
    return true;
  }

  readonly #answers: Record<string, () => Promise<{ status: number; type?: string; body: string }>> = {
    '/healthz': async () => ({ status: 200, body: 'ok\n' }),
    '/readyz': async () =>
      (await this.#deps.isReady().catch(() => false))
        ? { status: 200, body: 'ready\n' }
        : { status: 503, body: 'not ready\n' },
  };
}
