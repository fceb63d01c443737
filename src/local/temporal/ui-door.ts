import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** Names of this machine that no other one can have: where a request says one of them, its page is from here. */
const OWN_NAME = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

export interface UiDoor {
  readonly port: number;
  close(): void;
}

/**
 * Stands in front of the Web UI, which itself answers any `Host`: a page of the internet whose name is made to point
 * here (DNS rebinding) could start and cancel workflows through it.
 *
 * @param port taken where nothing listens, else any that is free
 */
export async function openUiDoor(
  host: string,
  port: number,
  behind: { host: string; port: number },
): Promise<UiDoor> {
  const server = createServer((request, response) => {
    if (OWN_NAME.test(request.headers.host ?? '')) passOn(request, response, behind);
    else {
      response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' });
      response.end('The Temporal Web UI is reached as localhost or 127.0.0.1 only.\n');
    }
  });
  const listen = (at: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen(port).catch(() => listen(0));
  server.unref();
  return {
    port: (server.address() as AddressInfo).port, // a TCP server that listens has one
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  behind: { host: string; port: number },
): void {
  const { method, url: path, headers } = request;
  const onward = ask({ ...behind, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => undefined); // either side's end is the other's
  });
  onward.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { 'content-length': '0' }).end();
  });
  response.on('close', () => onward.destroy());
  pipeline(request, onward, () => undefined);
}
