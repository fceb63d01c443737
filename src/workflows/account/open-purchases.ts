import type { AccountEntry, AccountState, Purchase } from '../../contract/entities/account.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { PriceFacts } from '../../policy/prices/price-table.ts';

/** All together, as JSON: they are carried over as one argument, and a payload takes 2 MB. */
const MOST_BYTES = 1_000_000;
/** The end of a purchase is told within a week, or never (milliseconds). */
const TOLD_WITHIN = 7 * 24 * 60 * 60_000;

/** When a submit is looked at first (milliseconds). */
export const SUBMIT_LOOKED_AT = 2 * 60_000;
/** So long it may take to be answered, where nobody has told (milliseconds). */
const ANSWERED_WITHIN = 2 * 60_000;

/** What an account keeps of a purchase that has not ended. Times are in milliseconds since the epoch. */
export interface OpenPurchase extends Purchase {
  /** The period that it was reserved in, and counts in. */
  period: string;
  attempt: number;
  /** Credits that are reserved for it. */
  credits: number;
  taskId: string | null;
  since: number;
  lookAt: number;
  /** Until when its submit may be answered. */
  answeredBy: number;
  /** Where it may cost more than is reserved for it: what its price hangs on; null: nobody has told. */
  unpriced?: PriceFacts | null | undefined;
}

/** The open purchases of an account, within a bound of bytes. */
export class OpenPurchases {
  readonly #all = new Map<string, OpenPurchase>();
  #bytes = 0;

  constructor({ entries = [], unpriced = [] }: Pick<AccountState, 'entries' | 'unpriced'>) {
    const facts = new Map(unpriced);
    for (const entry of entries) {
      const purchase = fromEntry(entry);
      this.put({ ...purchase, unpriced: facts.get(keyOf(purchase)) });
    }
  }

  get all(): OpenPurchase[] {
    return [...this.#all.values()];
  }

  carryOver(): Pick<AccountState, 'entries' | 'unpriced'> {
    const unpriced = [...this.#all].flatMap(([key, purchase]): [string, PriceFacts | null][] =>
      purchase.unpriced === undefined ? [] : [[key, purchase.unpriced]],
    );
    return { entries: this.all.map(toEntry), unpriced };
  }

  get(purchase: Purchase): OpenPurchase | undefined {
    return this.#all.get(keyOf(purchase));
  }

  /** @returns false where there is no room */
  put(purchase: OpenPurchase): boolean {
    const before = this.get(purchase);
    const bytes = this.#bytes + bytesOf(purchase) - (before === undefined ? 0 : bytesOf(before));
    if (before === undefined && bytes > MOST_BYTES) return false;
    this.#bytes = bytes;
    this.#all.set(keyOf(purchase), purchase);
    return true;
  }

  remove(purchase: Purchase): void {
    const known = this.get(purchase);
    if (known === undefined) return;
    this.#all.delete(keyOf(known));
    this.#bytes -= bytesOf(known);
  }
}

/** @param period the one that it counts in */
export function newPurchase(purchase: Purchase, period: string, tried: Tried): OpenPurchase {
  return { ...purchase, period, credits: 0, taskId: null, ...tried };
}

type Tried = Pick<OpenPurchase, 'attempt' | 'since' | 'lookAt' | 'answeredBy'>;

/** Of a try that begins now. @param answeredWithin milliseconds that it takes at most */
export function triedAt(now: number, attempt = 1, answeredWithin = ANSWERED_WITHIN): Tried {
  return { attempt, since: now, lookAt: now + SUBMIT_LOOKED_AT, answeredBy: now + answeredWithin };
}

export function toEntry({ workflowId, runId, activityId, workspace, ...rest }: OpenPurchase): AccountEntry {
  const { period, attempt, credits, taskId, since, lookAt, answeredBy } = rest;
  const of = [workflowId, runId, activityId, workspace] as const;
  return [...of, period, attempt, credits, taskId, since, lookAt, answeredBy];
}

export function fromEntry([workflowId, runId, activityId, workspace, ...rest]: AccountEntry): OpenPurchase {
  const [period, attempt, credits, taskId, since, lookAt, answeredBy] = rest;
  const of = { workflowId, runId, activityId, workspace };
  return { ...of, period, attempt, credits, taskId, since, lookAt, answeredBy };
}

/** Whether nobody will tell its end any more, as far as anybody knows: not to be asked where it limits something. */
export function isForgotten({ since }: OpenPurchase, now: number): boolean {
  return since < now - TOLD_WITHIN;
}

export function keyOf({ workflowId, runId, activityId }: Purchase): string {
  return `${workflowId}\n${runId}\n${activityId}`;
}

/** Its numbers may get longer while it is open. */
function bytesOf(purchase: OpenPurchase): number {
  return jsonBytes(toEntry({ ...purchase, attempt: 0, credits: 0, since: 0, lookAt: 0, answeredBy: 0 })) + 80;
}
