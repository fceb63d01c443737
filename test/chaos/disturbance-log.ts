import { SLOW_ANSWER } from './fault-rules.ts';

/** From an answer's arrival until Temporal has it, with much room. */
const REPORTING = 1_500;

/** When the storm itself may have swallowed an answer. Times in milliseconds since the epoch. */
export class DisturbanceLog {
  readonly #kills: number[] = [];
  readonly #outages: { from: number; to: number }[] = [];
  readonly #resets = new Map<string, number[]>();
  readonly counts = new Map<string, number>();

  count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  killed(at: number): void {
    this.#kills.push(at);
  }

  temporalAway(from: number, to: number): void {
    this.#outages.push({ from, to });
  }

  reset(workflowId: string, at: number): void {
    this.#resets.set(workflowId, [...(this.#resets.get(workflowId) ?? []), at]);
  }

  wasReset(workflowId: string): boolean {
    return this.#resets.has(workflowId);
  }

  /** Whether the answer to a submit that was charged at a time may have been swallowed on its way to Temporal. */
  mayHaveHit(workflowId: string, chargedAt: number): boolean {
    const until = chargedAt + SLOW_ANSWER + REPORTING;
    const within = (at: number): boolean => at >= chargedAt && at <= until;
    return (
      this.#kills.some(within) ||
      (this.#resets.get(workflowId) ?? []).some(within) ||
      this.#outages.some(({ from, to }) => from <= until && to >= chargedAt)
    );
  }
}
