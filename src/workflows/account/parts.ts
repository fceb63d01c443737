import type { AccountState, PartPurchases } from '../../contract/entities/account.ts';
import { Looks, type Untold } from './looks.ts';
import type { OpenPurchases } from './open-purchases.ts';

/** Parts that are noted. Of more the oldest is forgotten: what it has not spent is free, and each of its purchases reserves its own price. */
const MOST = 1_000;
/** When a part is looked at first (milliseconds). */
const LOOK = 10 * 60_000;
/** As a rule a part is started so soon after credits were held for it (milliseconds). */
const STARTED_WITHIN = 10_000;

/** A part that runs, and makes many purchases. */
export interface Part extends Untold {
  name: string;
  /** What is held for it, and was not spent by it. */
  held: number;
  /** What its purchases have cost that have ended since it was held for. */
  spent: number;
  /** What it buys, where nobody knows the price of it all: until somebody does, all that was left is held for it. */
  unpriced: readonly PartPurchases[] | undefined;
  /** The steps for which nothing is held: what these buy is no part of it. */
  laterSteps: readonly string[];
}

/** The parts of an account that run: each purchase is of the part that its workflow's id begins with, if any. */
export class Parts {
  readonly #parts: Map<string, Part>;
  readonly #purchases: OpenPurchases;
  readonly #looks = new Looks(LOOK);

  constructor({ parts = [] }: Pick<AccountState, 'parts'>, purchases: OpenPurchases) {
    this.#purchases = purchases;
    this.#parts = new Map(
      parts.map(([name, held, spent, since, lookAt, unpriced, laterSteps]) => [
        name,
        { name, held, spent, since, lookAt, unpriced: unpriced ?? undefined, laterSteps },
      ]),
    );
  }

  carryOver(): Pick<AccountState, 'parts'> {
    return {
      parts: this.#all.map(({ name, held, spent, since, lookAt, unpriced = null, laterSteps }) => [
        name,
        held,
        spent,
        since,
        lookAt,
        unpriced === null ? null : [...unpriced],
        [...laterSteps],
      ]),
    };
  }

  /** The part that a workflow is of. */
  of(workflowId: string): Part | undefined {
    for (let end = workflowId.lastIndexOf('/'); end > 0; end = workflowId.lastIndexOf('/', end - 1)) {
      const part = this.#parts.get(workflowId.slice(0, end));
      if (part !== undefined) return part;
    }
    return undefined;
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  /** @param held unless something is */
  hold(name: string, what: Pick<Part, 'held' | 'unpriced' | 'laterSteps'>, now: number): void {
    const { since: _, ...part } = this.#parts.get(name) ?? { name, ...what, spent: 0, since: now };
    this.#parts.set(name, { ...part, since: now, lookAt: now + LOOK });
    const [oldest = ''] = this.#parts.keys();
    if (this.#parts.size > MOST) this.#parts.delete(oldest);
  }

  end(name: string): void {
    this.#parts.delete(name);
  }

  /** A look has found that a part has ended. One that was held for anew meanwhile is another. */
  ended(part: Part): void {
    if (this.#parts.get(part.name) === part) this.end(part.name);
  }

  /** A purchase of that workflow has ended. */
  spend(workflowId: string, credits: number): void {
    const part = this.#heldFor(workflowId);
    if (part === undefined) return;
    part.spent += credits;
    part.held = Math.max(0, part.held - credits);
  }

  /** Prices have become known. @param priceOf what purchases cost together; null: nobody knows it */
  reprice(priceOf: (purchases: readonly PartPurchases[]) => number | null): void {
    for (const part of this.#all) {
      const price = part.unpriced === undefined ? null : priceOf(part.unpriced);
      if (price === null) continue;
      part.held = Math.max(0, Math.min(part.held, price - part.spent));
      part.unpriced = undefined;
    }
  }

  /**
   * What is held for parts, beside what their open purchases have reserved of it, but not what a workflow's own purchases use
   * up. Where all that was left is held for a part, that is not kept from one that runs already.
   */
  heldBeside(workflowId = ''): { part: Part; credits: number }[] {
    const own = this.#heldFor(workflowId);
    const isOfPart = this.of(workflowId) !== undefined;
    const isOpen = (part: Part): boolean => part === own || (isOfPart && part.unpriced !== undefined);
    return [...this.#free].flatMap(([part, credits]) => (isOpen(part) ? [] : [{ part, credits }]));
  }

  /** Whether all that was left is held for a part. */
  get isTriedOut(): boolean {
    return [...this.#free].some(([{ unpriced }, free]) => unpriced !== undefined && free > 0);
  }

  /** Somebody waits for the end of a part. */
  lookSoon(now: number): void {
    for (const part of this.#all)
      part.lookAt = Math.min(part.lookAt, Math.max(now, part.since + STARTED_WITHIN));
  }

  nextDue(): number {
    return this.#looks.nextDue(this.#all);
  }

  /** Those of which is to be seen now whether they still run. */
  toLookAt(now: number): Part[] {
    return this.#looks.take(this.#all, now);
  }

  /** The part of which a workflow's purchases use up what is held. */
  #heldFor(workflowId: string): Part | undefined {
    const part = this.of(workflowId);
    const [step = ''] = workflowId.slice((part?.name.length ?? 0) + 1).split(/[/@]/, 1);
    return part?.laterSteps.includes(step) === true ? undefined : part;
  }

  get #all(): Part[] {
    return [...this.#parts.values()];
  }

  /** What of it is not reserved by open purchases, for each part. */
  get #free(): Map<Part, number> {
    const free = new Map(this.#all.map((part) => [part, part.held]));
    if (free.size === 0) return free;
    for (const { workflowId, credits } of this.#purchases.all) {
      const part = this.#heldFor(workflowId);
      if (part !== undefined) free.set(part, Math.max(0, (free.get(part) ?? 0) - credits));
    }
    return free;
  }
}
