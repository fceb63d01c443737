import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * A keep-alive connection for one request at a time, as light as can be: what the client costs is missing from
 * what a server on the same machine can show.
 */
export class JsonConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #resolve: ((body: string) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#reject?.(error));
    socket.on('close', () => this.#reject?.(new Error('the server closed the connection')));
  }

  static open(port: number): Promise<JsonConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () =>
        resolve(new JsonConnection(socket)),
      );
      socket.once('error', reject);
    });
  }

  /**
   * @param request a whole request, head and body
   * @returns the answer's body
   * @throws when the status is no 2xx, or the connection breaks
   */
  send(request: string | Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }

  /** Answers here always carry a `Content-Length`, or have no body. */
  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(HEAD_END);
    if (end === -1) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const whole = end + HEAD_END.length + length;
    if (this.#received.length < whole) return;
    const body = this.#received.toString('utf8', whole - length, whole);
    this.#received = this.#received.subarray(whole);
    if (head[9] === '2') this.#resolve?.(body);
    else this.#reject?.(new Error(`answered ${head.slice(9, 12)}: ${body}`));
  }
}
