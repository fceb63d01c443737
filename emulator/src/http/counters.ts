export type RequestKind = 'submit' | 'get' | 'credits' | 'file' | 'control' | 'other';

/** What came in and what went out, since the start or the last reset. */
export class Counters {
  readonly #requests = new Map<RequestKind, number>();
  readonly #answers = new Map<string, number>();
  readonly #since = Date.now();

  request(kind: RequestKind): void {
    this.#requests.set(kind, (this.#requests.get(kind) ?? 0) + 1);
  }

  /** @param status 0: the connection was closed without an answer */
  answer(kind: RequestKind, status: number): void {
    const name = `${kind} ${status === 0 ? 'none' : status}`;
    this.#answers.set(name, (this.#answers.get(name) ?? 0) + 1);
  }

  snapshot(): { since: string; requests: Record<string, number>; answers: Record<string, number> } {
    return {
      since: new Date(this.#since).toISOString(),
      requests: Object.fromEntries(this.#requests),
      answers: Object.fromEntries(this.#answers),
    };
  }
}
