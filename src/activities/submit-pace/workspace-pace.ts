import { backoffDelay } from '../../policy/backoff.ts';
import type { PaceAnswer, SubmitReport } from '../../policy/pace/types.ts';
import type { Pace } from '../../policy/policy.ts';

/** Whether a submit may go out, and after which short wait; or when it is to come again. Milliseconds. */
export type Admission = { kind: 'go'; after: number } | { kind: 'hold'; delay: number };

/** The longest wait for a turn within the activity: a worker that dies meanwhile leaves an unknown submit. */
const LONGEST_WAIT = 1_000;
/**
 * What is held back comes again soon where the queue paces it anyway; elsewhere in its turn, but not so late that
 * it misses the change to the queue's pace, or a higher rate.
 */
const LONGEST_HOLD = { settling: 5_000, queue: 1_500, workers: 30_000 } as const;
/** Where the queue keeps the pace, a process only spreads what comes at once. */
const QUEUE_SLACK = 1.1;

/**
 * What one process knows of a workspace whose submits are being refused: the pause that the API wants, the turns
 * of the submits, the fleet's pace, and the counts for the next report. Pure: time and chance are passed in.
 */
export class WorkspacePace {
  #pausedSince = 0;
  #pausedUntil = 0;
  /** What `Retry-After` asked for: the other processes are to keep it too. */
  #askedUntil = 0;
  /** Pauses in a row without an accepted submit in between. */
  #pauses = 0;
  #stalledSince: number | undefined;
  #nextTurn = 0;
  #nextReturn = 0;
  #counts = { accepted: 0, refused: 0, held: 0 };
  #policy: { initial: number; max: number };
  #answer: PaceAnswer;

  /**
   * @param acceptedLately submits accepted in the second before the first refusal
   * @param pace the policy's for refused submits
   */
  constructor(acceptedLately: number, pace: Pace) {
    const rate = Math.max(acceptedLately, 1_000 / pace.initial);
    this.#counts.accepted = acceptedLately;
    this.#policy = { initial: pace.initial, max: pace.max };
    this.#answer = { pacedBy: 'settling', rate, share: rate, pausedFor: 0, nextReport: 0 };
  }

  get answer(): PaceAnswer {
    return this.#answer;
  }

  get hasNews(): boolean {
    const { accepted, refused, held } = this.#counts;
    return accepted + refused + held > 0;
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil;
  }

  /** For how long every submit has been refused, in milliseconds; 0 if the last one was accepted. */
  stalledFor(now: number): number {
    return this.#stalledSince === undefined ? 0 : now - this.#stalledSince;
  }

  /** A turn for a submit. Whoever waits for it looks for a pause again after the wait. */
  admit(now: number, random: number): Admission {
    const turn = Math.max(now, this.#nextTurn);
    if (this.isPaused(now) || turn - now > LONGEST_WAIT) return this.hold(now, random);
    this.#nextTurn = turn + this.#apart;
    return { kind: 'go', after: turn - now };
  }

  /** Holds a submit back: they come again one after the other, or, if that takes too long, somewhat later. */
  hold(now: number, random: number): Admission {
    this.#counts.held += 1;
    const from = Math.max(now, this.#pausedUntil);
    const turn = Math.max(this.#nextReturn, from) + this.#apart;
    const longest = from + LONGEST_HOLD[this.#answer.pacedBy];
    if (turn > longest) return { kind: 'hold', delay: (longest - now) * (1 + 0.25 * random) };
    this.#nextReturn = turn;
    return { kind: 'hold', delay: Math.max(1, turn - now) };
  }

  /** @param sentAt when the POST began */
  accepted(sentAt: number): void {
    this.#counts.accepted += 1;
    if (sentAt < this.#pausedSince) return;
    this.#pauses = 0;
    this.#stalledSince = undefined;
  }

  /**
   * @param sentAt when the POST began
   * @param retryAfter milliseconds, where the API says
   */
  refused(sentAt: number, now: number, random: number, pace: Pace, retryAfter: number | undefined): void {
    this.#counts.refused += 1;
    this.#policy = { initial: pace.initial, max: pace.max };
    this.#stalledSince ??= now;
    if (retryAfter !== undefined) {
      this.#askedUntil = Math.max(this.#askedUntil, now + retryAfter * (1 + 0.1 * random));
    }
    // Those that were on their way when the pause began say nothing new.
    if (sentAt >= this.#pausedUntil) {
      this.#pauses += 1;
      this.#pausedSince = now;
      this.#pausedUntil = now + (retryAfter === undefined ? this.#pause(pace, random) : 0);
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#askedUntil);
  }

  /** What is to be reported; counting begins anew. */
  takeReport(reporter: string, now: number): SubmitReport {
    const pausedFor = Math.max(0, this.#askedUntil - now);
    const report = { reporter, ...this.#counts, pausedFor, ...this.#policy };
    this.#counts = { accepted: 0, refused: 0, held: 0 };
    return report;
  }

  heed(answer: PaceAnswer, now: number): void {
    // Turns were given out at another pace: what comes from now on lines up anew.
    if (answer.pacedBy !== this.#answer.pacedBy) this.#nextReturn = 0;
    this.#answer = answer;
    if (answer.pausedFor > 0) this.#pausedUntil = Math.max(this.#pausedUntil, now + answer.pausedFor);
  }

  /** Milliseconds between two submits of this process. */
  get #apart(): number {
    const { pacedBy, rate, share } = this.#answer;
    return 1_000 / (pacedBy === 'queue' ? rate * QUEUE_SLACK : share);
  }

  /**
   * Where the API does not say: as the policy has it, but where the queue keeps the pace no longer than two
   * submits take, doubled while nothing is accepted.
   */
  #pause(pace: Pace, random: number): number {
    const byPolicy = backoffDelay(pace, this.#pauses, random);
    const { pacedBy, rate } = this.#answer;
    return pacedBy === 'queue' ? Math.min(byPolicy, (1_000 / rate) * 2 ** this.#pauses) : byPolicy;
  }
}
