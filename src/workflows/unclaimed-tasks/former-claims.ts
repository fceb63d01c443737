import type { FieldDigests } from '../../api/input/field-digests.ts';
import { given } from '../../api/json/given.ts';
import type { FormerClaim, KeptClaim } from '../../contract/entities/unclaimed-tasks.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { FieldIndex } from './field-index.ts';

/** The claims that were given up, oldest first, within a number of bytes: the task of one may show up after all. */
export class FormerClaims {
  readonly #claims = new Map<string, FormerClaim>();
  readonly #byField = new FieldIndex<FormerClaim>();
  readonly #room: { bytes: number; life: number };
  #bytes = 0;

  constructor(room: { bytes: number; life: number }, kept: readonly FormerClaim[]) {
    this.#room = room;
    for (const claim of kept) this.#put(claim);
  }

  get size(): number {
    return this.#claims.size;
  }

  values(): Iterable<FormerClaim> {
    return this.#claims.values();
  }

  /** Those that may have been for a task with these fields. */
  candidates(fields: FieldDigests): Iterable<FormerClaim> {
    return this.#byField.candidates(fields);
  }

  get(claimId: string): FormerClaim | undefined {
    return this.#claims.get(claimId);
  }

  /**
   * @param goneAt in looked time
   * @param closed whether nobody gave it up: its run has closed
   */
  add(claim: KeptClaim, goneAt: number, closed = false): void {
    const { claimId, workflowId, firstRunId, runId, model, fields, since, clockOffset, patience, paidBy } =
      claim;
    this.delete(claimId);
    this.#put({
      claimId,
      workflowId,
      firstRunId,
      runId,
      model,
      fields,
      since,
      patience,
      goneAt,
      ...given({ clockOffset, paidBy }),
      ...(closed ? { closed } : {}),
    });
    for (const oldest of this.#claims.keys()) {
      if (this.#bytes <= this.#room.bytes) break;
      this.delete(oldest);
    }
  }

  delete(claimId: string): void {
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return;
    this.#bytes -= jsonBytes(claim);
    this.#byField.delete(claim);
    this.#claims.delete(claimId);
  }

  /** When the oldest is forgotten, in looked time; undefined where there is none. */
  get firstExpiry(): number | undefined {
    const [oldest] = this.#claims.values();
    return oldest === undefined ? undefined : oldest.goneAt + this.#room.life;
  }

  dropExpired(looked: number): void {
    for (const { claimId, goneAt } of this.#claims.values()) {
      if (goneAt + this.#room.life > looked) break;
      this.delete(claimId);
    }
  }

  #put(claim: FormerClaim): void {
    this.#claims.set(claim.claimId, claim);
    this.#bytes += jsonBytes(claim);
    this.#byField.add(claim);
  }
}
