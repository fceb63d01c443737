import type { TaskGrant } from '../../contract/entities/claims.ts';

/** What is known of a grant for as long as a repeated claim or a late withdrawal may ask for it. */
const MAX_KEPT = 300;

/** Which claim was given which task. */
export class Grants {
  readonly #taskOf = new Map<string, string>();
  readonly #tasks = new Set<string>();
  /** Claims whose runs know of their grants by an answer. */
  readonly #told = new Set<string>();

  constructor(kept: readonly TaskGrant[]) {
    for (const grant of kept) this.add(grant);
  }

  get kept(): TaskGrant[] {
    return [...this.#taskOf].map(([claimId, taskId]) => ({ claimId, taskId }));
  }

  of(claimId: string): string | undefined {
    return this.#taskOf.get(claimId);
  }

  includes(taskId: string): boolean {
    return this.#tasks.has(taskId);
  }

  add({ claimId, taskId }: TaskGrant): void {
    this.#taskOf.set(claimId, taskId);
    this.#tasks.add(taskId);
    for (const oldest of this.#taskOf.keys()) {
      if (this.#taskOf.size <= MAX_KEPT) break;
      this.forget(oldest);
    }
  }

  /** The task of a claim whose run asks for it: it knows of it from now on. */
  tell(claimId: string): string | undefined {
    const taskId = this.#taskOf.get(claimId);
    if (taskId !== undefined) this.#told.add(claimId);
    return taskId;
  }

  /** @returns false where the run knows of its grant: that one stays */
  revoke(claimId: string): boolean {
    if (!this.#taskOf.has(claimId) || this.#told.has(claimId)) return false;
    this.forget(claimId);
    return true;
  }

  forget(claimId: string): void {
    this.#tasks.delete(this.#taskOf.get(claimId) ?? '');
    this.#taskOf.delete(claimId);
    this.#told.delete(claimId);
  }
}
