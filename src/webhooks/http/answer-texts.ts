import { STATUS_CODES } from 'node:http';

/** Whole answers without a body, as node:http would write them. */
export class AnswerTexts {
  readonly #keepAlive: string;
  #second = 0;
  #date = '';
  #acknowledgement = '';

  /** @param keepAlive milliseconds that an idle connection stays open */
  constructor(keepAlive: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAlive / 1_000)}\r\n\r\n`;
  }

  acknowledgement(closes: boolean): string {
    const date = this.#now();
    return closes ? `HTTP/1.1 204 No Content\r\n${date}${CLOSE}` : this.#acknowledgement;
  }

  /** @param retryAfter seconds */
  refusal(status: number, closes: boolean, retryAfter?: number): string {
    const again = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
    const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
    return `${line}${again}Content-Length: 0\r\n${this.#now()}${closes ? CLOSE : this.#keepAlive}`;
  }

  /** The date header; it and what goes out most are made anew once a second. */
  #now(): string {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = `Date: ${new Date(second * 1_000).toUTCString()}\r\n`;
      this.#acknowledgement = `HTTP/1.1 204 No Content\r\n${this.#date}${this.#keepAlive}`;
    }
    return this.#date;
  }
}

const CLOSE = 'Connection: close\r\n\r\n';
