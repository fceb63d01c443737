import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { isBusy } from '../temporal/grpc-status.ts';

/** What a process asks an entity at once, at most. */
const MOST_AT_ONCE = 200;
/** Up to so many milliseconds after a refusal; after each further one in a row twice as many. */
const PAUSES = { first: 1_000, longest: 60_000 };

interface Waiting<Question, Answer> {
  /** What the same question has in common when it is asked again. */
  key: string;
  question: Question;
  /** When it is not asked again where the entity is busy (milliseconds since the epoch). */
  until: number;
  end: PromiseWithResolvers<Answer>;
}

/**
 * An entity's answer, as long as an activity waits for it: less than the activity may take, so that it never keeps a place
 * in the worker after Temporal has given it up. Its next try takes the wait up again.
 *
 * @param limit in milliseconds
 */
export async function answerWithin<Answer>(limit: number, asked: Promise<Answer>): Promise<Answer> {
  const over = new AbortController();
  const late = delay(limit, undefined, { signal: over.signal }).then(() => {
    throw new Error('unclaimed-tasks has not answered yet: it is asked by many');
  });
  try {
    return await Promise.race([asked, Context.current().cancelled, late]);
  } finally {
    over.abort();
  }
}

/**
 * What this process asks entities by updates, or queries, one at a time for each of them, with all that waits by then. A
 * workflow takes ten updates at once, and the server forgets the work under way on those with each one that it refuses
 * (Temporal 1.31): a hundred generations that asked at the same moment could keep all of them from ever being answered.
 * Where many processes ask at once, those that are refused come back later and later, each at a time of its own.
 */
export class UpdateQueue<Question, Answer> {
  readonly #send: (entity: string, questions: readonly Question[]) => Promise<readonly Answer[]>;
  readonly #pauses: typeof PAUSES;
  /** By entity and question; while an entity is here, somebody sends for it. */
  readonly #waiting = new Map<string, Map<string, Waiting<Question, Answer>>>();

  /** @param send one update or query; answers each question in its place */
  constructor(
    send: (entity: string, questions: readonly Question[]) => Promise<readonly Answer[]>,
    pauses = PAUSES,
  ) {
    this.#send = send;
    this.#pauses = pauses;
  }

  /**
   * Asked with the questions of others, in order. Asked again while it waits, it gets the same answer: an activity that
   * took too long is tried again.
   *
   * @param patience how long it is asked again while the entity is too busy to take it, in milliseconds
   * @throws what `send` has thrown
   */
  ask(entity: string, question: Question, patience = Infinity): Promise<Answer> {
    const others = this.#waiting.get(entity) ?? new Map<string, Waiting<Question, Answer>>();
    const key = JSON.stringify(question);
    const known = others.get(key);
    if (known !== undefined) return known.end.promise;
    const until = Date.now() + patience;
    const waiting = { key, question, until, end: Promise.withResolvers<Answer>() };
    others.set(key, waiting);
    if (!this.#waiting.has(entity)) {
      this.#waiting.set(entity, others);
      void this.#sendAll(entity, others);
    }
    return waiting.end.promise;
  }

  async #sendAll(entity: string, waiting: Map<string, Waiting<Question, Answer>>): Promise<void> {
    let pause = this.#pauses.first;
    while (waiting.size > 0) {
      const batch = [...waiting.values()].slice(0, MOST_AT_ONCE);
      try {
        const answers = await this.#send(
          entity,
          batch.map(({ question }) => question),
        );
        pause = this.#pauses.first;
        for (const [index, { key, end }] of batch.entries()) {
          waiting.delete(key);
          const answer = answers[index];
          if (answer === undefined) end.reject(new Error(`${entity} has not answered all that it was asked`));
          else end.resolve(answer);
        }
      } catch (error) {
        // Others ask as well; or it was not answered, because others were refused.
        const isToRepeat = isBusy(error);
        const over = isToRepeat ? [...waiting.values()].filter(({ until }) => until <= Date.now()) : batch;
        for (const { key, end } of over) {
          waiting.delete(key);
          end.reject(error);
        }
        if (!isToRepeat) continue;
        await delay(Math.random() * pause);
        pause = Math.min(2 * pause, this.#pauses.longest);
      }
    }
    this.#waiting.delete(entity);
  }
}
