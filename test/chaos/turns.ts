/** Whatever is done to one thing happens one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  take(thing: string, act: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(thing) ?? Promise.resolve()).then(act);
    this.#last.set(thing, turn);
    return turn;
  }
}
