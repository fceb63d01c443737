import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import type { Counters, RequestKind } from './counters.ts';

/** One request and the place for its answer. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly kind: RequestKind;
  readonly #counters: Counters;

  constructor(request: IncomingMessage, response: ServerResponse, kind: RequestKind, counters: Counters) {
    this.request = request;
    this.response = response;
    this.kind = kind;
    this.#counters = counters;
    counters.request(kind);
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** Writes the whole answer. @param delivered called once the last byte is with the operating system */
  answer(answer: Answer, delivered?: () => void): void {
    this.#writeHead(answer);
    this.response.end(answer.body, delivered);
  }

  /** Promises the whole answer, writes half of it and breaks the connection. */
  breakOff(answer: Answer): void {
    this.#writeHead(answer);
    const body = Buffer.from(answer.body);
    this.response.write(body.subarray(0, Math.floor(body.length / 2)), () => this.response.destroy());
  }

  /** Closes the connection without an answer. @param reset with a TCP reset instead of an orderly end */
  hangUp(reset = false): void {
    this.#counters.answer(this.kind, 0);
    if (reset) this.request.socket.resetAndDestroy();
    else this.request.socket.destroy();
  }

  /** For answers that are streamed: their head was written elsewhere. */
  countAnswer(status: number): void {
    this.#counters.answer(this.kind, status);
  }

  #writeHead({ status, contentType, body, headers }: Answer): void {
    this.#counters.answer(this.kind, status);
    const isEmpty = status === 204 || status === 304; // these have no body, and say nothing of its length
    this.response.writeHead(status, {
      ...(isEmpty ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
      ...headers,
    });
  }
}
