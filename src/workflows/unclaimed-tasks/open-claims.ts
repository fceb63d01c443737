import type { FieldDigests } from '../../api/field-digests.ts';
import type { KeptClaim } from '../../contract/unclaimed-tasks.ts';
import { byteSize } from './byte-size.ts';

/** Of a submit without any field. */
const NO_FIELD = '';

/**
 * The claims that are open: at most one for each purchase, which is a workflow id and its first run. Found by one of
 * the fields that were sent, the one that the fewest others share.
 */
export class OpenClaims {
  readonly #claims = new Map<string, KeptClaim>();
  readonly #byPurchase = new Map<string, string>();
  readonly #byField = new Map<string, Set<KeptClaim>>();
  readonly #fieldOf = new Map<string, string>();
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
  *candidates(fields: FieldDigests): Iterable<KeptClaim> {
    for (const key of [NO_FIELD, ...keysOf(fields)]) yield* this.#byField.get(key) ?? [];
  }

  /** Also in the place of an earlier version of the same claim. */
  put(claim: KeptClaim): void {
    this.delete(claim.claimId);
    this.#claims.set(claim.claimId, claim);
    this.#byPurchase.set(purchaseOf(claim), claim.claimId);
    const [rarest = NO_FIELD] = keysOf(claim.fields).sort((a, b) => this.#share(a) - this.#share(b));
    this.#fieldOf.set(claim.claimId, rarest);
    const sharing = this.#byField.get(rarest) ?? new Set();
    this.#byField.set(rarest, sharing.add(claim));
    this.#bytes += byteSize(claim);
  }

  delete(claimId: string): KeptClaim | undefined {
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return undefined;
    this.#claims.delete(claimId);
    const purchase = purchaseOf(claim);
    if (this.#byPurchase.get(purchase) === claimId) this.#byPurchase.delete(purchase);
    const key = this.#fieldOf.get(claimId) ?? NO_FIELD;
    const sharing = this.#byField.get(key);
    sharing?.delete(claim);
    if (sharing?.size === 0) this.#byField.delete(key);
    this.#fieldOf.delete(claimId);
    this.#bytes -= byteSize(claim);
    return claim;
  }

  #share(key: string): number {
    return this.#byField.get(key)?.size ?? 0;
  }
}

function keysOf(fields: FieldDigests): string[] {
  return Object.entries(fields).map(([name, digest]) => `${name}=${digest}`);
}

function purchaseOf({ workflowId, firstRunId }: Pick<KeptClaim, 'workflowId' | 'firstRunId'>): string {
  return `${firstRunId} ${workflowId}`;
}
