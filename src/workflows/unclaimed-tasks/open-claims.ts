import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { KeptClaim } from '../../contract/entities/unclaimed-tasks.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { FieldIndex } from './field-index.ts';

/** The claims that are open: at most one for each workflow id. Its latest run goes on for those before it. */
export class OpenClaims {
  readonly #claims = new Map<string, KeptClaim>();
  readonly #byWorkflow = new Map<string, string>();
  readonly #byField = new FieldIndex<KeptClaim>();
  #bytes = 0;

  get size(): number {
    return this.#claims.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(claimId: string): KeptClaim | undefined {
    return this.#claims.get(claimId);
  }

  values(): Iterable<KeptClaim> {
    return this.#claims.values();
  }

  /** The open claim of a workflow. */
  of(workflowId: string): KeptClaim | undefined {
    return this.#claims.get(this.#byWorkflow.get(workflowId) ?? '');
  }

  /** The claims that may be for a task with those fields: all others are not. */
  candidates(fields: FieldDigests): Iterable<KeptClaim> {
    return this.#byField.candidates(fields);
  }

  /** Also in the place of an earlier version of the same claim. */
  put(claim: KeptClaim): void {
    this.delete(claim.claimId);
    this.#claims.set(claim.claimId, claim);
    this.#byWorkflow.set(claim.workflowId, claim.claimId);
    this.#byField.add(claim);
    this.#bytes += jsonBytes(claim);
  }

  delete(claimId: string): void {
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return;
    this.#claims.delete(claimId);
    const { workflowId } = claim;
    if (this.#byWorkflow.get(workflowId) === claimId) this.#byWorkflow.delete(workflowId);
    this.#byField.delete(claim);
    this.#bytes -= jsonBytes(claim);
  }
}
