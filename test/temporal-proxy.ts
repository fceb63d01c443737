import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { lastingPort } from './lasting-port.ts';

/** gRPC's DEADLINE_EXCEEDED: what is between client and server ends what is open for long. */
const CLOSED_POLL = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '4' } as const;

/** Stands before Temporal: counts what is asked, whatever the client is written in, and can be away for a while. */
export class TemporalProxy implements AsyncDisposable {
  readonly address: string;
  /** Long polls of histories are closed after so long (milliseconds). */
  closesPollsAfter: number | undefined;
  readonly #counts = new Map<string, number>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #port: number;
  readonly #temporal: string;
  #upstream: ClientHttp2Session | undefined;
  #server: Http2Server | undefined;

  private constructor(temporal: string, port: number) {
    this.#temporal = `http://${temporal}`;
    this.#port = port;
    this.address = `127.0.0.1:${port}`;
  }

  static async open(temporal: string): Promise<TemporalProxy> {
    const proxy = new TemporalProxy(temporal, await lastingPort());
    await proxy.back();
    return proxy;
  }

  /** How often a method was called since the counts were cleared, like `QueryWorkflow`. */
  count(method: string): number {
    return this.#counts.get(method) ?? 0;
  }

  clear(): void {
    this.#counts.clear();
  }

  /** Ends all connections, and takes none. */
  async leave(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    for (const session of this.#sessions) session.destroy();
    this.#upstream?.destroy();
    server.close();
    await once(server, 'close');
  }

  async back(): Promise<void> {
    this.#upstream = connect(this.#temporal);
    this.#upstream.on('error', () => undefined); // its streams hear of it
    const server = createServer();
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
    });
    server.on('stream', (stream, headers) => this.#pass(stream, headers));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    if ((server.address() as AddressInfo).port !== this.#port) throw new Error('the proxy lost its port');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }

  #pass(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const method = headers[':path']?.split('/').at(-1) ?? '';
    this.#counts.set(method, this.count(method) + 1);
    const passed = this.#upstream?.request(headers);
    if (passed === undefined) {
      stream.destroy();
      return;
    }
    const { closesPollsAfter } = this;
    const end = (): void => {
      if (!stream.headersSent) stream.respond(CLOSED_POLL, { endStream: true });
      passed.destroy();
    };
    const limit =
      method === 'GetWorkflowExecutionHistory' && closesPollsAfter !== undefined
        ? setTimeout(end, closesPollsAfter)
        : undefined;
    let trailers: IncomingHttpHeaders = {};
    passed.on('response', (answer, flags) => {
      if (stream.destroyed) return;
      clearTimeout(limit);
      // Without a body its headers are its trailers.
      const endStream = (flags & 1) !== 0;
      stream.respond(answer, { endStream, waitForTrailers: !endStream });
    });
    passed.on('trailers', (told) => {
      trailers = told;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    for (const one of [stream, passed]) one.on('error', () => undefined);
    stream.once('close', () => {
      clearTimeout(limit);
      passed.destroy();
    });
    passed.once('close', () => {
      if (!stream.headersSent && !stream.destroyed) stream.destroy();
    });
    stream.pipe(passed).pipe(stream);
  }
}
