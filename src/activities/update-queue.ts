import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from '../temporal/grpc-status.ts';

/** What a process asks an entity in one update, at most. */
const MOST_AT_ONCE = 200;
/** Up to so many milliseconds after a refusal; after each further one in a row twice as many. */
const PAUSES = { first: 1_000, longest: 60_000 };

interface Waiting<Question, Answer> {
  /** What the same question has in common when it is asked again. */
  key: string;
  question: Question;
  end: PromiseWithResolvers<Answer>;
}

/**
 * What this process asks entities by updates, one update at a time for each of them, with all that waits by then. A
 * workflow takes ten updates at once, and the server forgets the work under way on those with each one that it refuses
 * (Temporal 1.31): a hundred generations that asked at the same moment could keep all of them from ever being answered.
 * Where many processes ask at once, those that are refused come back later and later, each at a time of its own.
 */
export class UpdateQueue<Question, Answer> {
  readonly #send: (entity: string, questions: readonly Question[]) => Promise<readonly Answer[]>;
  readonly #pauses: typeof PAUSES;
  /** By entity and question; while an entity is here, somebody sends for it. */
  readonly #waiting = new Map<string, Map<string, Waiting<Question, Answer>>>();

  /** @param send one update; answers each question in its place */
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
   * @throws what the update has thrown, but for an entity that is too busy to take it
   */
  ask(entity: string, question: Question): Promise<Answer> {
    const others = this.#waiting.get(entity) ?? new Map<string, Waiting<Question, Answer>>();
    const key = JSON.stringify(question);
    const known = others.get(key);
    if (known !== undefined) return known.end.promise;
    const waiting = { key, question, end: Promise.withResolvers<Answer>() };
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
        if (isBusy(error)) {
          await delay(Math.random() * pause);
          pause = Math.min(2 * pause, this.#pauses.longest);
          continue;
        }
        for (const { key, end } of batch) {
          waiting.delete(key);
          end.reject(error);
        }
      }
    }
    this.#waiting.delete(entity);
  }
}
