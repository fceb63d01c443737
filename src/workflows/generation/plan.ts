import type { Family } from '../../api/family.ts';
import type { RequestCheck } from '../../contract/activities.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { Policy } from '../../policy/policy.ts';

/** What was asked for, checked: the input as the next submit sends it, and the policy, resolved. */
export class Plan {
  readonly check: Extract<RequestCheck, { ok: true }>;
  readonly policy: Policy;
  readonly #asked: Record<string, unknown>;
  readonly #seeds = new Set<number | null>();
  #input: Record<string, unknown>;

  constructor(request: GenerationRequest, check: Extract<RequestCheck, { ok: true }>, input = request.input) {
    this.check = check;
    this.policy = check.policy;
    this.#asked = request.input;
    this.#input = input;
  }

  get family(): Family {
    return this.check.family;
  }

  get input(): Record<string, unknown> {
    return this.#input;
  }

  /**
   * What a submit was sent with.
   *
   * @param seed where it is another one than that of the next submit; null: the request's
   */
  inputWith(seed: number | null | undefined): Record<string, unknown> {
    if (seed === undefined) return this.#input;
    return seed === null ? this.#asked : { ...this.#asked, seed };
  }

  /** A submit of an earlier run, which was sent with another seed, is looked for. */
  lookFor(seed: number | null): void {
    this.#seeds.add(seed);
  }

  /** What a task may have been sent with that is this run's: as the next submit, or as one that is looked for. */
  get inputs(): Record<string, unknown>[] {
    return [this.#input, ...[...this.#seeds].map((seed) => this.inputWith(seed))];
  }

  /** Another seed for the next submit, where the model takes one. */
  takeNewSeed(): void {
    if (this.check.takesSeed) this.#input = { ...this.#input, seed: Math.floor(Math.random() * 2 ** 31) };
  }
}
