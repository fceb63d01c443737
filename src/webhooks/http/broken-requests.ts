import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Answers what Node's parser could make no request of, in its place: a sender that does not wait for its answers may
 * have sent it behind good ones, and must not read its 400 as theirs.
 */
export class BrokenRequests {
  /** The latest response of each connection; answers go out in the order of requests. */
  readonly #latest = new WeakMap<Socket, ServerResponse>();
  /** Of which nothing more is read. */
  readonly #broken = new WeakSet<Socket>();

  /** A request has come, whose answer stands before that of all further ones. */
  note(response: ServerResponse): void {
    this.#latest.set(response.req.socket, response);
  }

  /** Ends the connection after all that is still to be answered. @returns whether that is new */
  answer(socket: Socket, status: number, reason: string): boolean {
    if (socket.destroyed || this.#broken.has(socket)) return false;
    this.#broken.add(socket);
    const latest = this.#latest.get(socket);
    if (latest === undefined || latest.writableFinished) {
      if (socket.writable) {
        socket.write(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      }
      socket.destroySoon();
      return true;
    }
    latest.once('finish', () => socket.destroySoon());
    if (latest.headersSent) {
      // It is refused already, and its sender is given time to read that.
      if (!latest.req.complete) latest.end();
    } else if (latest.req.complete) latest.shouldKeepAlive = false;
    else {
      // Broken is the request itself. Node forgets one that is answered before it has come; who reads it is told here.
      socket.once('close', () => latest.req.destroy());
      latest.writeHead(status, { connection: 'close', 'content-length': '0' }).end();
    }
    return true;
  }
}
