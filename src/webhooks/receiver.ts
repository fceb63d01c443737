import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Registry } from 'prom-client';
import type { EventSink } from '../temporal/event-sink.ts';
import { refuseUnread } from './http/answers.ts';
import { ConnectionGate } from './http/connection-gate.ts';
import { DeliveryHandler, type WorkspaceEntry } from './http/delivery-handler.ts';
import { HttpDeliveries } from './http/http-delivery.ts';
import { Operations } from './http/operations.ts';
import { originForm } from './http/origin-form.ts';
import { Acknowledgements } from './http/reply.ts';
import { WorkspacePaths } from './http/workspace-paths.ts';
import { ReceiverCounts, type RequestRefusal, registerMetrics } from './metrics.ts';
import { OccasionalLog } from './occasional-log.ts';
import type { ReceiverConfig } from './receiver-config.ts';
import type { ReceiverLog } from './receiver-log.ts';
import { Deliveries } from './routing/deliver.ts';
import { createEventRouting } from './routing/event-routing.ts';
import type { TaskRoutes } from './routing/task-routes.ts';

/** All headers of a request together; deliveries have some 600 bytes of them. */
const MAX_HEADER_BYTES = 8 * 1024;
/** How often a draining server closes what has become idle, in milliseconds. */
const SWEEP = 25;
/** How often Node looks for requests that take too long, in milliseconds. */
const TIMEOUT_CHECK = 500;

export interface ReceiverDeps {
  config: ReceiverConfig;
  sink: EventSink;
  /** Filled by this process's own submits; empty where only the receiver runs. */
  routes: TaskRoutes;
  log: ReceiverLog;
  /** Where the receiver's metrics are registered; `/metrics` shows all that is in it. */
  registry?: Registry;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

export interface Receiver {
  /** @throws when the address cannot be listened on */
  listen(): Promise<void>;
  /** The port that is listened on, or was. */
  readonly port: number;
  /** Reports unready, takes no further connections, finishes what is in flight, then closes. */
  close(): Promise<void>;
}

/** The webhook receiver: an HTTP server that may stand on the internet. */
export function createReceiver({
  config,
  sink,
  routes,
  log,
  registry = new Registry(),
  now = Date.now,
}: ReceiverDeps): Receiver {
  const { caps, timeouts } = config;
  const troubles = new OccasionalLog(log, now);
  const counts = new ReceiverCounts();
  const gate = new ConnectionGate(caps.connections);
  const routing = createEventRouting(config, { sink, routes, log, troubles });
  let isDraining = false;
  let { port } = config;

  const observeLatency = registerMetrics(registry, counts, {
    held: () => routing.held.count,
    inFlight: () => deliveryHandler.inFlight,
    connections: () => gate.open,
    evictedConnections: () => gate.evicted,
    sharedSignals: () => routing.signals.shared,
    visibilityQueries: () => routing.visibility.counts,
  });
  const deliveryHandler = new DeliveryHandler({ config, gate, counts, troubles, observeLatency, now });
  const acknowledgements = new Acknowledgements();
  const httpDeliveries = new HttpDeliveries({
    config,
    handler: deliveryHandler,
    counts,
    acknowledgements,
    isDraining: () => isDraining,
  });
  const operations = new Operations({
    registry,
    reachable: () => sink.reachable(),
    isDraining: () => isDraining,
  });
  const entries = [...config.workspaces].map(([name, hook]): [string, WorkspaceEntry] => [
    name,
    { hook, deliveries: new Deliveries(name, config.rememberedIds, routing) },
  ]);
  const workspaces = new WorkspacePaths<WorkspaceEntry>(entries);

  const handle = (request: IncomingMessage, response: ServerResponse, beforeBody?: () => void): void => {
    if (isDraining) response.shouldKeepAlive = false;
    if (gate.isTurnedAway(request.socket)) {
      counts.refuse('too many connections');
      refuseUnread(request, response, 503, { 'retry-after': String(config.retryAfter), connection: 'close' });
      return;
    }
    const entry = workspaces.find(originForm(request.url ?? ''));
    if (entry !== undefined) {
      httpDeliveries.handle(entry, request, response, beforeBody);
    } else if (!operations.handle(request, response)) {
      counts.refuse('unknown workspace');
      refuseUnread(request, response, 404);
    }
  };

  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    joinDuplicateHeaders: true,
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: TIMEOUT_CHECK,
  });
  // Bounded by their bytes. Node would drop those beyond a number without a word, repeated ones among them.
  server.maxHeadersCount = 0;
  server.maxConnections = gate.hardLimit;
  // A sender that has closed its side still gets its answer. Not in Node's types, though Node has had it for ever.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) => gate.admit(socket));
  server.on('request', (request: IncomingMessage, response: ServerResponse) => handle(request, response));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    handle(request, response, () => response.writeContinue()),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { status, reason } = CLIENT_ERRORS[error.code ?? ''] ?? FRAMING;
    if (socket.destroyed || error.code === 'ECONNRESET') return;
    counts.refuse(reason);
    // A later request on the same connection must not be answered in the place of an earlier one.
    if (socket.writable && socket.bytesWritten === 0) {
      socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
    socket.destroySoon();
  });

  return {
    get port() {
      return port;
    },
    async listen() {
      port = await listen(server, config.host, config.port);
      // Whatever was sent before found nobody here.
      for (const [, { deliveries }] of entries) deliveries.heldUp();
    },
    async close() {
      isDraining = true;
      log.info({ inFlight: deliveryHandler.inFlight }, 'the receiver finishes its deliveries and closes');
      await close(server, timeouts.drain);
      for (const [, { deliveries }] of entries) deliveries.close();
    },
  };
}

const FRAMING: { status: string; reason: RequestRefusal } = { status: '400 Bad Request', reason: 'framing' };
const CLIENT_ERRORS: Partial<Record<string, { status: string; reason: RequestRefusal }>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', reason: 'headers too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Content Too Large', reason: 'too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', reason: 'timeout' },
};

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port); // a TCP server that listens has one
    });
  });
}

function close(server: Server, within: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), within);
    // A connection that was busy when the close began is idle after its answer, and would stay open.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(sweep);
      resolve();
    });
  });
}
