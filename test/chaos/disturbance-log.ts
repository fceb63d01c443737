import { SLOW_ANSWER } from './fault-rules.ts';

/** From an answer's arrival until Temporal has it, with much room. */
const REPORTING = 1_500;
/** What was sent to somebody who was frozen is dealt with in a moment once he is not. */
const AFTER_A_FREEZE = 3_000;

/** What the storm did and when, in milliseconds since the epoch; and what of it may have swallowed an answer. */
export class DisturbanceLog {
  readonly #kills: number[] = [];
  readonly #outages: { from: number; to: number }[] = [];
  readonly #resets = new Map<string, number[]>();
  readonly #forgotten: number[] = [];
  readonly counts = new Map<string, number>();
  /** All of it, in order, for people. */
  readonly timeline: { at: string; what: string }[] = [];

  count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  happened(what: string, about: object = {}): void {
    this.timeline.push({ at: new Date().toISOString(), what, ...about });
  }

  killed(at: number): void {
    this.#kills.push(at);
  }

  /** Temporal was away, or something that answers pass was frozen. */
  away(from: number, to: number): void {
    this.#outages.push({ from, to });
  }

  frozen(from: number, to: number): void {
    this.away(from, to + AFTER_A_FREEZE);
  }

  /** A run was Reset, or terminated and started again. */
  reset(workflowId: string, at: number): void {
    this.#resets.set(workflowId, [...(this.#resets.get(workflowId) ?? []), at]);
  }

  wasReset(workflowId: string): boolean {
    return this.#resets.has(workflowId);
  }

  /** `unclaimed-tasks` was terminated: the tasks that it had been told of went with it. */
  evidenceForgotten(at: number): void {
    this.#forgotten.push(at);
  }

  /** Whether what was told at a time last may have been forgotten since. */
  mayHaveForgotten(toldAt: number): boolean {
    return this.#forgotten.some((at) => at >= toldAt);
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
