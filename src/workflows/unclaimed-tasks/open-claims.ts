import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { KeptClaim } from '../../contract/entities/unclaimed-tasks.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { FieldIndex } from './field-index.ts';

/** The claims that are open: at most one for each purchase, which is a workflow id and its first run. */
export class OpenClaims {
  readonly #claims = new Map<string, KeptClaim>();
  readonly #byPurchase = new Map<string, string>();
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

  /** The open claim of the same purchase. */
  ofPurchase({
    workflowId,
    firstRunId,
  }: Pick<KeptClaim, 'workflowId' | 'firstRunId'>): KeptClaim | undefined {
    return this.#claims.get(this.#byPurchase.get(purchaseOf({ workflowId, firstRunId })) ?? '');
  }

  /** The claims that may be for a task with those fields: all others are not. */
  candidates(fields: FieldDigests): Iterable<KeptClaim> {
    return this.#byField.candidates(fields);
  }

  /** Also in the place of an earlier version of the same claim. */
  put(claim: KeptClaim): void {
    this.delete(claim.claimId);
    this.#claims.set(claim.claimId, claim);
    this.#byPurchase.set(purchaseOf(claim), claim.claimId);
    this.#byField.add(claim);
    this.#bytes += jsonBytes(claim);
  }

  delete(claimId: string): void {
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return;
    this.#claims.delete(claimId);
    const purchase = purchaseOf(claim);
    if (this.#byPurchase.get(purchase) === claimId) this.#byPurchase.delete(purchase);
    this.#byField.delete(claim);
    this.#bytes -= jsonBytes(claim);
  }
}

function purchaseOf({ workflowId, firstRunId }: Pick<KeptClaim, 'workflowId' | 'firstRunId'>): string {
  return `${firstRunId} ${workflowId}`;
}
