import type { IncomingMessage } from 'node:http';

/** Bodies up to this size are never refused for want of memory; events are usually far smaller. */
const SMALL = 16 * 1024;

/** The memory that large bodies share. */
export class BodyBudget {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  take(bytes: number): boolean {
    if (this.#used + bytes > this.#max) return false;
    this.#used += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}

export type ReadBody =
  | { kind: 'read'; body: Buffer /** To be released to the budget after the answer. */; budgeted: number }
  | { kind: 'too large' }
  | { kind: 'no room' }
  /** The sender went away. */
  | { kind: 'aborted' };

/**
 * Reads a request's body up to `maxBytes`, whatever its Content-Length claims. `done` is called exactly once;
 * after 'too large' and 'no room' the rest of the body is still on its way.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  budget: BodyBudget,
  done: (result: ReadBody) => void,
): void {
  let first: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let size = 0;
  let budgeted = 0;
  let isDone = false;

  const end = (result: ReadBody): void => {
    if (isDone) return;
    isDone = true;
    if (result.kind !== 'read') {
      request.off('data', onData);
      budget.release(budgeted);
    }
    done(result);
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > maxBytes) {
      end({ kind: 'too large' });
      return;
    }
    if (size > SMALL) {
      if (!budget.take(size - budgeted)) {
        end({ kind: 'no room' });
        return;
      }
      budgeted = size;
    }
    if (first === undefined) first = chunk;
    else (chunks ??= [first]).push(chunk);
  };

  request.on('data', onData);
  request.on('end', () => {
    const body = chunks === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(chunks, size);
    end({ kind: 'read', body, budgeted });
  });
  request.on('close', () => end({ kind: 'aborted' }));
}
