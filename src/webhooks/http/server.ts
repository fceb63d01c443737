import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Operations } from '../../operations/operations.ts';
import type { ReceiverCounts, RequestRefusal } from '../metrics.ts';
import type { ReceiverConfig } from '../receiver-config.ts';
import { refuseUnread } from './answers.ts';
import { BrokenRequests } from './broken-requests.ts';
import type { ConnectionGate } from './connection-gate.ts';
import type { Endpoint } from './endpoint.ts';
import { type EndpointPaths, pathOf } from './endpoint-paths.ts';

/** All headers of a request together; deliveries have some 600 bytes of them. */
const MAX_HEADER_BYTES = 8 * 1024;
/** How often a draining server closes what has become idle, in milliseconds. */
const SWEEP = 25;
/** How often Node looks for requests that take too long, in milliseconds. */
const TIMEOUT_CHECK = 500;

export interface ReceiverServerDeps {
  config: Pick<ReceiverConfig, 'host' | 'port' | 'timeouts' | 'retryAfter'>;
  gate: ConnectionGate;
  counts: ReceiverCounts;
  endpoints: EndpointPaths<Endpoint>;
  /** Undefined where operators have a port of their own. */
  operations: Operations | undefined;
}

/** The HTTP server in front of the endpoints; it may stand on the internet. All parsing is node:http's. */
export class ReceiverServer {
  /** The port that is listened on, or was. */
  port: number;
  isDraining = false;
  readonly #deps: ReceiverServerDeps;
  readonly #server: Server;
  readonly #broken = new BrokenRequests();

  constructor(deps: ReceiverServerDeps) {
    this.#deps = deps;
    this.port = deps.config.port;
    this.#server = this.#create();
  }

  /** @throws when the address cannot be listened on */
  listen(): Promise<void> {
    const { host, port } = this.#deps.config;
    const server = this.#server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        this.port = (server.address() as AddressInfo).port; // a TCP server that listens has one
        resolve();
      });
    });
  }

  /** Takes no further connections, finishes what is in flight (as long as the configuration says), then closes. */
  close(): Promise<void> {
    this.isDraining = true;
    const { config, gate } = this.#deps;
    const server = this.#server;
    return new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), config.timeouts.drain);
      // A connection that was busy when the close began is idle after its answer, and would stay open.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
      gate.closeSilent();
      server.close(() => {
        clearTimeout(timer);
        clearInterval(sweep);
        resolve();
      });
    });
  }

  #create(): Server {
    const { gate, config } = this.#deps;
    const { timeouts } = config;
    const server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      // Else Node would keep the first of two media types and drop the other without a word.
      joinDuplicateHeaders: true,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: TIMEOUT_CHECK,
    });
    // Bounded by their bytes. Node would drop those beyond a number without a word, repeated ones among them.
    server.maxHeadersCount = 0;
    server.maxConnections = gate.hardLimit;
    // A sender that has closed its side still gets its answer. The property is as old as Node, but not in its types.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on('connection', (socket) => gate.admit(socket));
    server.on('request', (request, response) => this.#dispatch(request, response));
    server.on('checkContinue', (request, response) =>
      this.#dispatch(request, response, () => response.writeContinue()),
    );
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#reject(error, socket));
    return server;
  }

  #dispatch(request: IncomingMessage, response: ServerResponse, beforeBody?: () => void): void {
    const { gate, counts, endpoints, operations, config } = this.#deps;
    this.#broken.note(response);
    if (this.isDraining) response.shouldKeepAlive = false;
    if (gate.isSurplus(request.socket)) {
      counts.refuse('too many connections');
      refuseUnread(request, response, 503, { 'retry-after': String(config.retryAfter), connection: 'close' });
      return;
    }
    const target = request.url ?? '';
    const endpoint = endpoints.find(target);
    if (endpoint !== undefined) {
      endpoint.handle(request, response, beforeBody);
    } else if (operations?.handle(pathOf(target), request, response) !== true) {
      counts.refuse('unknown workspace');
      refuseUnread(request, response, 404);
    }
  }

  /** Answers what Node's parser could make no request of. */
  #reject(error: NodeJS.ErrnoException, socket: Socket): void {
    const { status, phrase, reason } = CLIENT_ERRORS[error.code ?? ''] ?? FRAMING;
    if (error.code === 'ECONNRESET') return;
    if (this.#broken.answer(socket, status, phrase)) this.#deps.counts.refuse(reason);
  }
}

interface ClientError {
  status: number;
  phrase: string;
  reason: RequestRefusal;
}

const FRAMING: ClientError = { status: 400, phrase: 'Bad Request', reason: 'framing' };
const CLIENT_ERRORS: Partial<Record<string, ClientError>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    phrase: 'Request Header Fields Too Large',
    reason: 'headers too large',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, phrase: 'Content Too Large', reason: 'too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, phrase: 'Request Timeout', reason: 'timeout' },
};
