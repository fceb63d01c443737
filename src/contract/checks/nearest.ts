import { byDistance, closest } from '../../api/text/closest.ts';
import { shownName } from '../../api/text/shown.ts';

/** As many names as a person reads. */
const MOST_NAMED = 10;
/** Comparing a word with a thousand names takes a while: only the first wrong words get it. */
const MOST_COMPARED = 10;

/** The names that a wrong word may have meant: steps, parameters. */
export class Names {
  readonly #known: ReadonlySet<string>;
  readonly #of: string;
  #compared = 0;

  /** @param of what they are names of, e.g. `steps` */
  constructor(known: Iterable<string>, of: string) {
    this.#known = new Set(known);
    this.#of = of;
  }

  has(word: string): boolean {
    return this.#known.has(word);
  }

  /** The one that a wrong word most likely meant, where one is near enough. */
  nearest(word: string): string | undefined {
    return this.#mayCompare() ? closest(word, [...this.#known]) : undefined;
  }

  /** `; did you mean still? steps: still, large, … and 990 more`: the nearest first. */
  instead(word: string): string {
    const names = [...this.#known];
    if (names.length === 0) return `; it has no ${this.#of}`;
    const sorted = this.#mayCompare() ? byDistance(word, names) : names;
    const match = sorted === names ? undefined : closest(word, names);
    const listed = sorted.slice(0, MOST_NAMED).map(shownName).join(', ');
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    const hint = match === undefined ? ';' : `; did you mean ${shownName(match)}?`;
    return `${hint} ${this.#of}: ${listed}${more}`;
  }

  #mayCompare(): boolean {
    this.#compared += 1;
    return this.#compared <= MOST_COMPARED;
  }
}
