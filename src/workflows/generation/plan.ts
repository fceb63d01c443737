import type { Family } from '../../api/family.ts';
import type { RequestCheck } from '../../contract/activities.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { Policy } from '../../policy/policy.ts';

/** What was asked for, checked: the input as the next submit sends it, and the policy, resolved. */
export class Plan {
  readonly check: Extract<RequestCheck, { ok: true }>;
  readonly policy: Policy;
  readonly #asked: Record<string, unknown>;
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
   * What a submit of an earlier run was sent with is what its task is looked for by.
   *
   * @param seed null: what the request has
   */
  takeSeed(seed: number | null): void {
    this.#input = seed === null ? this.#asked : { ...this.#input, seed };
  }

  /** Another seed for the next submit, where the model takes one. */
  takeNewSeed(): void {
    if (this.check.takesSeed) this.#input = { ...this.#input, seed: Math.floor(Math.random() * 2 ** 31) };
  }
}
