import { backoffDelay } from '../../policy/backoff.ts';
import type { Pace } from '../../policy/policy.ts';
import type { PaceAnswer, SubmitReport } from '../../workflows/submit-pace/contract.ts';

/** Whether a submit may go out, and after which short wait; or when it is to come again. Milliseconds. */
export type Admission = { kind: 'go'; after: number } | { kind: 'hold'; delay: number };

/** The longest wait for a turn within the activity: a worker that dies meanwhile leaves an unknown submit. */
const LONGEST_WAIT = 1_000;
const MOST_WAITING = 20;
/** What the queue paces goes back there soon; the rest waits for its turn, but not so long that it misses news. */
const LONGEST_HOLD = { settling: 5_000, queue: 1_500, workers: 30_000 } as const;
/** Where the queue keeps the pace, a process may be ahead of it by a tenth: it only spreads what comes at once. */
const QUEUE_SLACK = 1.1;

/**
 * What one process knows about a workspace whose submits are being refused: the pause that the API asked for,
 * the turns of submits, and the counts for the next report. Pure: the time and the chance are passed in.
 */
export class WorkspacePace {
  #pausedSince = 0;
  #pausedUntil = 0;
  /** Pauses from here on are not reported yet. */
  #countedFrom = 0;
  #pausedTotal = 0;
  /** `Retry-After` or the fleet's word: others are to keep it too. */
  #askedUntil = 0;
  /** Pauses in a row without an accepted submit in between. */
  #pauses = 0;
  #stalledSince: number | undefined;
  #nextTurn = 0;
  #nextReturn = 0;
  #counts = { accepted: 0, refused: 0, held: 0 };
  #pace: { initial: number; max: number };
  #answer: PaceAnswer;

  /**
   * @param acceptedLately submits accepted in the second before the first refusal
   * @param pace the policy's for refused submits
   */
  constructor(acceptedLately: number, pace: Pace) {
    const rate = Math.max(acceptedLately, 1_000 / pace.initial);
    this.#counts.accepted = acceptedLately;
    this.#pace = { initial: pace.initial, max: pace.max };
    this.#answer = { pacedBy: 'settling', rate, share: rate, pausedFor: 0, nextReport: 0 };
  }

  get nextReport(): number {
    return this.#answer.nextReport;
  }

  get pacedBy(): PaceAnswer['pacedBy'] {
    return this.#answer.pacedBy;
  }

  /** For how long every submit has been refused, in milliseconds; 0 if the last one was accepted. */
  stalledFor(now: number): number {
    return this.#stalledSince === undefined ? 0 : now - this.#stalledSince;
  }

  admit(now: number, random: number): Admission {
    const { pacedBy, rate, share } = this.#answer;
    const perSecond = pacedBy === 'queue' ? rate * QUEUE_SLACK : share;
    const apart = 1_000 / perSecond;
    if (!this.isPaused(now)) {
      const turn = Math.max(now, this.#nextTurn);
      if (turn - now <= Math.min(LONGEST_WAIT, MOST_WAITING * apart)) {
        this.#nextTurn = turn + apart;
        return { kind: 'go', after: turn - now };
      }
    }
    return this.hold(now, random);
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil;
  }

  hold(now: number, random: number): Admission {
    const { pacedBy, rate, share } = this.#answer;
    const perSecond = pacedBy === 'queue' ? rate * QUEUE_SLACK : share;
    const apart = 1_000 / perSecond;
    this.#counts.held += 1;
    const from = Math.max(now, this.#pausedUntil);
    const longest = from - now + LONGEST_HOLD[pacedBy];
    this.#nextReturn = Math.max(this.#nextReturn, from) + apart;
    const delay = this.#nextReturn - now;
    if (delay <= longest) return { kind: 'hold', delay: Math.max(1, delay) };
    this.#nextReturn -= apart;
    return { kind: 'hold', delay: longest * (1 + 0.25 * random) };
  }

  /** @param sentAt when the POST began */
  accepted(sentAt: number): void {
    this.#counts.accepted += 1;
    if (sentAt >= this.#pausedSince) {
      this.#pauses = 0;
      this.#stalledSince = undefined;
    }
  }

  /**
   * @param sentAt when the POST began
   * @param retryAfter milliseconds, where the API says
   */
  refused(sentAt: number, now: number, random: number, pace: Pace, retryAfter: number | undefined): void {
    this.#counts.refused += 1;
    this.#pace = { initial: pace.initial, max: pace.max };
    this.#stalledSince ??= now;
    if (retryAfter !== undefined) {
      this.#askedUntil = Math.max(this.#askedUntil, now + retryAfter * (1 + 0.1 * random));
    }
    // Those that were on their way when the pause began say nothing new.
    if (sentAt >= this.#pausedUntil) {
      this.#pauses += 1;
      this.#pausedTotal += Math.max(0, this.#pausedUntil - this.#countedFrom);
      this.#pausedSince = now;
      this.#countedFrom = now;
      this.#pausedUntil = now + this.#pause(pace, random, retryAfter);
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#askedUntil);
  }

  /** What is to be reported, and counting begins anew. */
  takeReport(reporter: string, now: number): SubmitReport {
    const paused = this.#pausedTime(now);
    const report = { reporter, ...this.#counts, paused, pausedFor: this.#askedFor(now), ...this.#pace };
    this.#counts = { accepted: 0, refused: 0, held: 0 };
    return report;
  }

  get hasNews(): boolean {
    const { accepted, refused, held } = this.#counts;
    return accepted + refused + held > 0;
  }

  /** A report that did not arrive: it goes out with the next one. */
  putBack({ accepted, refused, held }: SubmitReport): void {
    this.#counts.accepted += accepted;
    this.#counts.refused += refused;
    this.#counts.held += held;
  }

  heed(answer: PaceAnswer, now: number): void {
    if (answer.pacedBy !== this.#answer.pacedBy || answer.share > 1.5 * this.#answer.share) {
      this.#nextReturn = Math.min(this.#nextReturn, Math.max(now, this.#pausedUntil));
    }
    this.#answer = answer;
    if (answer.pausedFor > 0) this.#pausedUntil = Math.max(this.#pausedUntil, now + answer.pausedFor);
  }

  /** Of the pauses, what has passed and was not reported yet. */
  #pausedTime(now: number): number {
    const passed = Math.max(0, Math.min(now, this.#pausedUntil) - this.#countedFrom);
    const total = this.#pausedTotal + passed;
    this.#pausedTotal = 0;
    this.#countedFrom = Math.max(this.#countedFrom, Math.min(now, this.#pausedUntil));
    return total;
  }

  #askedFor(now: number): number {
    return Math.max(0, this.#askedUntil - now);
  }

  /**
   * Where the API does not say: as the policy has it, but where the queue keeps the pace no longer than two
   * submits take, doubled while nothing is accepted.
   */
  #pause(pace: Pace, random: number, retryAfter: number | undefined): number {
    if (retryAfter !== undefined) return 0;
    const byPolicy = backoffDelay(pace, this.#pauses, random);
    const { pacedBy, rate } = this.#answer;
    return pacedBy === 'queue' ? Math.min(byPolicy, (1_000 / rate) * 2 ** this.#pauses) : byPolicy;
  }
}
