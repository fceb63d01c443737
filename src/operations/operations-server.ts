import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Operations } from './operations.ts';

/** `/healthz`, `/readyz` and `/metrics` on an address of their own; every other path is answered 404. */
export class OperationsServer {
  /** The port that is listened on, or was. */
  port = 0;
  readonly #server: Server;

  constructor(operations: Operations) {
    this.#server = createServer({ maxHeaderSize: 8 * 1024, requestTimeout: 10_000 }, (request, response) => {
      const path = URL.parse(request.url ?? '', 'http://here')?.pathname ?? '';
      if (!operations.handle(path, request, response)) {
        response.writeHead(404, { connection: 'close', 'content-length': '0' }).end();
      }
    });
  }

  /**
   * @param address port 0: any free one
   * @throws when the address cannot be listened on
   */
  listen({ host, port }: { host: string; port: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        this.port = (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
        resolve();
      });
    });
  }

  /** Ends at once: nobody loses anything by an answer that is missing. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
