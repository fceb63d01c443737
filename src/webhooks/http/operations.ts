import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { refuse } from './answers.ts';

/** Somebody who asks often does not make us ask Temporal often. */
const READINESS_LIFE = 1_000;

export interface OperationsDeps {
  registry: Registry;
  /** Whether Temporal answers. */
  reachable: () => Promise<boolean>;
  isDraining: () => boolean;
}

/**
 * The paths for operators: `GET /healthz` (the process runs), `GET /readyz` (deliveries can be taken: Temporal
 * answers and no shutdown is under way) and `GET /metrics`.
 */
export class Operations {
  readonly #deps: OperationsDeps;
  #reachable: Promise<boolean> | undefined;

  constructor(deps: OperationsDeps) {
    this.#deps = deps;
  }

  /** @returns whether the path is one of them; then the answer is under way */
  handle(path: string, request: IncomingMessage, response: ServerResponse): boolean {
    const answer = Object.hasOwn(this.#answers, path) ? this.#answers[path] : undefined;
    if (answer === undefined) return false;
    if (request.method === 'GET' || request.method === 'HEAD') {
      answer().then(
        ({ status, type = 'text/plain', body }) =>
          response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
        () => refuse(response, 500),
      );
    } else {
      refuse(response, 405, { allow: 'GET, HEAD', connection: 'close' });
    }
    return true;
  }

  readonly #answers: Record<string, () => Promise<{ status: number; type?: string; body: string }>> = {
    '/healthz': async () => ({ status: 200, body: 'ok\n' }),
    '/readyz': async () =>
      !this.#deps.isDraining() && (await this.#isReachable())
        ? { status: 200, body: 'ready\n' }
        : { status: 503, body: 'not ready\n' },
    '/metrics': async () => ({
      status: 200,
      type: this.#deps.registry.contentType,
      body: await this.#deps.registry.metrics(),
    }),
  };

  #isReachable(): Promise<boolean> {
    if (this.#reachable === undefined) {
      this.#reachable = this.#deps.reachable();
      setTimeout(() => {
        this.#reachable = undefined;
      }, READINESS_LIFE).unref();
    }
    return this.#reachable;
  }
}
