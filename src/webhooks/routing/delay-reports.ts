import type { OccasionalLog } from '../occasional-log.ts';
import { reasonOf } from './reason-of.ts';

/** Between two reports, and before another try, in milliseconds. */
const PAUSE = 1_000;

/**
 * Tells those of one workspace who wait for evidence that events may be late: this process was not there to take
 * them, or has refused some. Says it again until it gets through; what is noted meanwhile goes with the next report.
 */
export class DelayReports {
  readonly #report: () => Promise<void>;
  readonly #troubles: OccasionalLog;
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  #isUnderWay = false;
  #isStopped = false;

  constructor(report: () => Promise<void>, troubles: OccasionalLog) {
    this.#report = report;
    this.#troubles = troubles;
  }

  /** Events of now or before are late. */
  note(): void {
    this.#isDue = true;
    if (!this.#isStopped && !this.#isUnderWay && this.#timer === undefined) void this.#send();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #send(): Promise<void> {
    this.#isUnderWay = true;
    this.#isDue = false;
    try {
      await this.#report();
    } catch (error) {
      this.#isDue = true;
      this.#troubles.warn('claims could not be told of late events', { reason: reasonOf(error) });
    }
    this.#isUnderWay = false;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isDue) void this.#send();
    }, PAUSE);
    this.#timer.unref();
  }
}
