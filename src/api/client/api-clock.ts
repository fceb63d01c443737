import { RemoteClock } from '../remote-clock.ts';

/** The service's own clock, by the `Date` of its answers, which names the second in which an answer was made. */
export class ApiClock {
  readonly #clock = new RemoteClock();

  /**
   * @param date the header of an answer
   * @param answeredAt when the answer came, in milliseconds since the epoch by our clock
   */
  note(date: string | string[] | undefined, answeredAt: number): void {
    this.#clock.note(typeof date === 'string' ? Date.parse(date) : Number.NaN, answeredAt);
  }

  /** Milliseconds that the service's clock is ahead of ours (behind: below zero); undefined before the first answer. */
  get offset(): number | undefined {
    return this.#clock.offset;
  }
}
