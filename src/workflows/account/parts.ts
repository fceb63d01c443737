import type { AccountState } from '../../contract/entities/account.ts';
import { Looks, type Untold } from './looks.ts';
import type { OpenPurchases } from './open-purchases.ts';

/**
 * Parts that are noted. Of more, one that has ended is forgotten first: what it costs is known a little worse. Where all
 * run it is the oldest: what it has not spent is free, and each of its purchases reserves its own price.
 */
const MOST = 1_000;
/** When a part that runs is looked at first (milliseconds). */
const LOOK = 10 * 60_000;
/** A part is started so soon after credits were held for it (milliseconds). */
const STARTED_WITHIN = 10_000;

/** A part that makes many purchases. */
export interface Part extends Untold {
  name: string;
  /** What is held for it, and was not spent by it; undefined: it has ended, and has open purchases. */
  held: number | undefined;
  /** What its purchases have cost that have ended since it was held for. */
  bought: number;
}

/** The parts of an account: each purchase is of the part that its workflow's id begins with, if any. */
export class Parts {
  readonly #parts: Map<string, Part>;
  readonly #purchases: OpenPurchases;
  readonly #looks = new Looks(LOOK);
  #dearest: number;

  constructor(
    { parts = [], dearest = 0 }: Pick<AccountState, 'parts' | 'dearest'>,
    purchases: OpenPurchases,
  ) {
    this.#purchases = purchases;
    this.#dearest = dearest;
    this.#parts = new Map(
      parts.map(([name, held, bought, since, lookAt]) => [
        name,
        { name, held: held ?? undefined, bought, since, lookAt },
      ]),
    );
  }

  /** What the dearest part has cost; null: none has told. */
  get price(): number | null {
    return this.#dearest > 0 ? this.#dearest : null;
  }

  carryOver(): Pick<AccountState, 'parts' | 'dearest'> {
    const parts = [...this.#parts.values()];
    return {
      parts: parts.map(({ name, held = null, bought, since, lookAt }) => [name, held, bought, since, lookAt]),
      dearest: this.#dearest,
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

  get(name: string): Part | undefined {
    return this.#parts.get(name);
  }

  /** @param credits what is held for it, unless something is */
  hold(name: string, credits: number, now: number): void {
    const { held, bought = 0 } = this.#parts.get(name) ?? {};
    const part = held === undefined ? { held: credits, bought: 0 } : { held, bought };
    this.#parts.set(name, { name, ...part, since: now, lookAt: now + LOOK });
    const all = [...this.#parts.values()];
    const forgotten = all.find((one) => one.held === undefined) ?? all[0];
    if (all.length > MOST) this.#parts.delete(forgotten?.name ?? '');
  }

  /** @param credits what it has cost in all; 0: nobody has told */
  end(name: string, credits: number): void {
    this.#dearest = Math.max(this.#dearest, credits);
    const part = this.#parts.get(name);
    if (part === undefined) return;
    part.held = undefined;
    this.#weigh(part);
  }

  /** A look has found that a part has ended. One that was held for anew meanwhile is another. */
  ended(part: Part): void {
    if (this.#parts.get(part.name) === part) this.end(part.name, 0);
  }

  /** A purchase of that workflow has ended. */
  spent(workflowId: string, credits: number): void {
    const part = this.of(workflowId);
    if (part === undefined) return;
    part.bought += credits;
    if (part.held !== undefined) part.held = Math.max(0, part.held - credits);
  }

  /** Something has become known of a purchase of that workflow. */
  noteChanged(workflowId: string): void {
    const part = this.of(workflowId);
    if (part !== undefined && part.held === undefined) this.#weigh(part);
  }

  /** What is held for parts but that one, beside what their open purchases have reserved of it. */
  heldBeside(own?: Part): number {
    const left = new Map(this.#running.map((part) => [part, part.held ?? 0]));
    if (left.size === 0) return 0;
    for (const { workflowId, credits } of this.#purchases.all) {
      const part = this.of(workflowId);
      const held = part && left.get(part);
      if (part !== undefined && held !== undefined) left.set(part, held - credits);
    }
    return [...left].reduce((sum, [part, held]) => (part === own ? sum : sum + Math.max(0, held)), 0);
  }

  /** Somebody waits for the end of a part. */
  lookSoon(now: number): void {
    for (const part of this.#running)
      part.lookAt = Math.min(part.lookAt, Math.max(now, part.since + STARTED_WITHIN));
  }

  nextDue(): number {
    return this.#looks.nextDue(this.#running);
  }

  /** Those of which is to be seen now whether they still run. */
  toLookAt(now: number): Part[] {
    return this.#looks.take(this.#running, now);
  }

  /** Those that credits are held for. */
  get #running(): Part[] {
    return [...this.#parts.values()].filter(({ held }) => held !== undefined);
  }

  /** A part that was ended from outside has told nothing of its price: what it has bought tells it. */
  #weigh(part: Part): void {
    const open = this.#purchases.all.filter(({ workflowId }) => this.of(workflowId) === part);
    const known = open.filter(({ taskId, unpriced }) => taskId !== null && unpriced === undefined);
    const cost = known.reduce((sum, { credits }) => sum + credits, part.bought);
    this.#dearest = Math.max(this.#dearest, cost);
    if (open.length === 0) this.#parts.delete(part.name);
  }
}
