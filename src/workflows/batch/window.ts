import { condition } from '@temporalio/workflow';
import type { CarriedBatch } from '../../contract/batch.ts';
import { passCancellationOn } from '../pass-cancellation-on.ts';
import type { RowEnd } from './row.ts';

type OnEnd = (row: { place: number; workflowId: string }, end: RowEnd) => void;

/** The rows of a batch that run, by their places among all. */
export class Window {
  readonly #rows = new Map<number, [workflowId: string, digest: string]>();
  readonly #onEnd: OnEnd;
  #broken: unknown;

  constructor(onEnd: OnEnd) {
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#rows.size;
  }

  get places(): number[] {
    return [...this.#rows.keys()].sort((a, b) => a - b);
  }

  has(workflowId: string): boolean {
    return [...this.#rows.values()].some(([row]) => row === workflowId);
  }

  /** A row runs now; a cancellation of the batch is for it, too. */
  begin([place, workflowId, digest]: CarriedBatch['running'][number], run: () => Promise<RowEnd>): void {
    this.#rows.set(place, [workflowId, digest]);
    const ended = passCancellationOn(() => [workflowId], run);
    void this.#settle(place, workflowId, ended);
  }

  /** Waits; throws what a row has thrown: a cancellation, or a bug. @param longest milliseconds */
  async until(holds: () => boolean, longest?: number): Promise<void> {
    const isOver = (): boolean => this.#broken !== undefined || holds();
    await (longest === undefined ? condition(isOver) : condition(isOver, longest));
    if (this.#broken !== undefined) throw this.#broken;
  }

  /** Waits until everything that runs has ended, one way or the other. */
  async untilEmpty(): Promise<void> {
    await condition(() => this.size === 0);
  }

  /** For the next run of a batch that continues as new. */
  carry(): CarriedBatch['running'] {
    return [...this.#rows].map(([place, row]) => [place, ...row]);
  }

  async #settle(place: number, workflowId: string, ended: Promise<RowEnd>): Promise<void> {
    try {
      const end = await ended;
      this.#rows.delete(place);
      this.#onEnd({ place, workflowId }, end);
    } catch (error) {
      this.#rows.delete(place);
      this.#broken ??= error;
    }
  }
}
