import { keysOf } from '../../api/json/keys-of.ts';
import type { UnclaimedTasksCounts } from '../../contract/entities/unclaimed-tasks.ts';

/** In looked time: the same is not told more often. */
const PAUSE = 60_000;

const MESSAGES = {
  evicted:
    'tasks had to be forgotten early for lack of room: a submit that lost its answer may be bought twice',
  refused: 'claims were not taken for lack of room: they come again',
  malformed: 'messages to unclaimed-tasks could not be understood',
} as const satisfies Record<keyof UnclaimedTasksCounts, string>;

/** What could not be kept or understood, and what an operator was told of it. */
export class Alarms {
  readonly counts: UnclaimedTasksCounts;
  #told: UnclaimedTasksCounts;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(counts: UnclaimedTasksCounts | undefined) {
    this.counts = { malformed: 0, evicted: 0, refused: 0, ...counts };
    this.#told = { ...this.counts };
  }

  /** What was not told yet. @param looked now, in looked time */
  news(looked: number): { message: string; count: number }[] {
    if (looked - this.#toldAt < PAUSE) return [];
    const news = keysOf(MESSAGES)
      .map((what) => ({ message: MESSAGES[what], count: this.counts[what] - this.#told[what] }))
      .filter(({ count }) => count > 0);
    if (news.length > 0) {
      this.#told = { ...this.counts };
      this.#toldAt = looked;
    }
    return news;
  }
}
