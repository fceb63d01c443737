import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Origin {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** Paths asked for, in order. */
  asked: string[];
  /** Connections that are open now. */
  open(): number;
}

/** An HTTP server on a free port of this machine, until the test ends: what the internet is to a download. */
export async function startOrigin(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Origin> {
  const asked: string[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { url: `http://127.0.0.1:${port}`, port, asked, open: () => open };
}

/** Answers every request with these bytes. */
export function serving(
  bytes: Uint8Array | string,
  contentType?: string,
  headers: Record<string, string> = {},
) {
  return (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, {
      'content-length': Buffer.byteLength(bytes),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...headers,
    });
    response.end(bytes);
  };
}
