import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseRetryAfter } from '../../../src/api/client/retry-after.ts';
import { NotHere } from './not-here.ts';

const accepted = z.looseObject({ usage: z.looseObject({ total: z.number() }) });

/** Where a submit's costs are read: its answer. */
interface Priced {
  status: number;
  headers: Headers;
  body: unknown;
}

/**
 * The cap on what a run may spend. It counts what the answers to submits say, and lets nothing more out once the
 * cap is reached, so it can be exceeded by the price of one task. When an answer gets lost nobody knows what was
 * spent: that is the end, too.
 */
export class Spending {
  readonly #cap: number;
  readonly #patience: number;
  #spent = 0;
  #lost = false;

  /** @param cap credits; infinite where nothing costs money @param patience milliseconds to wait out rate limits */
  constructor(cap: number, patience: number) {
    this.#cap = cap;
    this.#patience = patience;
  }

  get limited(): boolean {
    return this.#cap !== Number.POSITIVE_INFINITY;
  }

  /** @throws NotHere instead of submitting, once the cap is reached */
  async during<A extends Priced>(submit: () => Promise<A>): Promise<A> {
    if (!this.limited) return await submit();
    this.#check();
    try {
      const answer = await this.#patiently(submit);
      if (answer.status >= 200 && answer.status < 300) this.#spent += accepted.parse(answer.body).usage.total;
      return answer;
    } catch (error) {
      this.#lost = true;
      throw error;
    }
  }

  /** A rate limit is waited out: it says nothing about the input. */
  async #patiently<A extends Priced>(submit: () => Promise<A>): Promise<A> {
    const deadline = Date.now() + this.#patience;
    for (;;) {
      const answer = await submit();
      if (answer.status !== 429) return answer;
      const pause = parseRetryAfter(answer.headers.get('retry-after') ?? undefined, Date.now()) ?? 2000;
      if (Date.now() + pause > deadline) return answer;
      await sleep(pause);
    }
  }

  #check(): void {
    if (this.#lost) throw new NotHere('an answer to a submit got lost, so what was spent is not known');
    if (this.#cap === 0)
      throw new NotHere('submits may cost credits: CONFORMANCE_MAX_CREDITS says how many may go');
    if (this.#spent >= this.#cap) {
      throw new NotHere(
        `${this.#spent} of CONFORMANCE_MAX_CREDITS ${this.#cap} are spent, so nothing more is submitted`,
      );
    }
  }
}
