import { condition } from '@temporalio/workflow';

/** So many generations of a pipeline run at once: their results come to its history, which may have 50 MB. */
const SIDE_BY_SIDE = 100;

/** Lets so many generations run at the same time; the others wait, first come first served. */
export class Permits {
  #free = SIDE_BY_SIDE;
  readonly #waiting: symbol[] = [];

  async run<T>(generation: () => Promise<T>): Promise<T> {
    const turn = Symbol('turn');
    this.#waiting.push(turn);
    await condition(() => this.#free > 0 && this.#waiting[0] === turn);
    this.#waiting.shift();
    this.#free -= 1;
    try {
      return await generation();
    } finally {
      this.#free += 1;
    }
  }
}
