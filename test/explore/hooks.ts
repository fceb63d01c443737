import { nameWithin, placeOf } from './places.ts';

/** Where a call stands still on its way: of an activity before and after its work, of a request around the API's. */
export type Phase = 'before' | 'after' | 'sent' | 'answered';

/** A point that a call of a cell has come to. */
export interface Point {
  workflowId: string;
  /** An activity's type, or an HTTP method. */
  what: string;
  phase: Phase;
}

/** A point that was passed, by its name, and when (ms since the epoch). */
export interface Passed {
  name: string;
  at: number;
}

/** What comes by at one place: it is written down, and one call is held where the cell wants it. */
export class PlaceWatch {
  readonly passed: Passed[] = [];
  readonly #main: string;
  readonly #counts = new Map<string, number>();
  readonly #wanted: string | undefined;
  readonly #held = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();

  /** @param wanted the name of the point where the first call is held */
  constructor(main: string, wanted?: string) {
    this.#main = main;
    this.#wanted = wanted;
  }

  /** Settles when a call is held. */
  get held(): Promise<void> {
    return this.#held.promise;
  }

  hasPassed(name: string): boolean {
    return this.passed.some((passed) => passed.name === name);
  }

  release(): void {
    this.#released.resolve();
  }

  async pass({ workflowId, what, phase }: Point): Promise<void> {
    const name = `${phase} ${nameWithin(this.#main, workflowId)}${what}`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const numbered = `${name}#${count}`;
    this.passed.push({ name: numbered, at: Date.now() });
    if (numbered !== this.#wanted) return;
    this.#held.resolve();
    await this.#released.promise;
  }
}

/** The watches of all places. */
export class Hooks {
  readonly #watches = new Map<string, PlaceWatch>();

  watch(place: string, watch: PlaceWatch): void {
    this.#watches.set(place, watch);
  }

  async pass(point: Point): Promise<void> {
    const place = placeOf(point.workflowId);
    if (place !== undefined) await this.#watches.get(place)?.pass(point);
  }

  releaseAll(): void {
    for (const watch of this.#watches.values()) watch.release();
  }
}
