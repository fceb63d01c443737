import { TERMINAL_EVENTS } from '../api/events/event-types.ts';
import type { ReceiverCheckAnswer } from '../contract/receiver-check.ts';

/** The signed events of one workspace that this process has seen. */
export class SeenEvents {
  #total = 0;
  #created = 0;
  #ended = 0;
  /** Milliseconds since the epoch. */
  #lastAt: number | undefined;

  note(type: string, at: number): void {
    this.#total += 1;
    if (type === 'task.created') this.#created += 1;
    if (TERMINAL_EVENTS.has(type)) this.#ended += 1;
    this.#lastAt = at;
  }

  get lastAt(): number | undefined {
    return this.#lastAt;
  }

  report(): ReceiverCheckAnswer['events'] {
    const lastAt = this.#lastAt === undefined ? null : new Date(this.#lastAt).toISOString();
    return { total: this.#total, created: this.#created, ended: this.#ended, lastAt };
  }
}
