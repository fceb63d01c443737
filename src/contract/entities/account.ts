import type { Cap } from '../../policy/caps.ts';
import type { Per } from '../../policy/periods.ts';
import type { Cost, PriceFacts, PriceList } from '../../policy/prices/price-table.ts';
import type { Tags } from '../tags.ts';

/** An account, by what it is started with. */
export interface AccountName {
  scope: string;
  per: Per;
  /** Of a budget: the workflow whose runs it is for. It ends when the server has none of them, nor of those that go on with it. */
  owner?: string;
}

export function accountOfCap({ name, per }: Pick<Cap, 'name' | 'per'>): AccountName {
  return { scope: `cap/${name}/${per}`, per };
}

/** A submit that may buy a task: the activity, and the run that has scheduled it. At most one of its tries is accepted. */
export interface Purchase {
  workflowId: string;
  runId: string;
  activityId: string;
  workspace: string;
}

/** Characters of a scope: with what stands around it, an id that PostgreSQL's schema of Temporal holds. */
const LONGEST_SCOPE = 180;

/** The account of a budget. @param digest of a text, for ids that are too long to be a part of another one */
export function accountOfBudget(owner: string, digest: (text: string) => string): AccountName {
  const name = owner.length <= LONGEST_SCOPE ? owner : digest(owner);
  return { scope: `budget/${name}`, per: 'ever', owner };
}

/**
 * What is booked on an account. Each can be repeated: it is booked once.
 *
 * `attempt` counts the tries of one purchase: what an earlier try says does not undo what a later one has said.
 */
export type Booking =
  /**
   * Before a submit. Where nobody knows its price, or only one that does not fit, all that is left is reserved. `limit`:
   * what the account has to hold; null: it only counts. `since`: when the run began that says so, which a later one may have
   * corrected (milliseconds since the epoch); without it, it holds for this purchase. `by`: the workflow of that run, where
   * it is not the account's owner. `mayComeBack`: whether it waits for tasks that may still be
   * refunded, and for lost submits that may show what they have bought. `answeredWithin`: milliseconds that the try takes at
   * most.
   */
  | ({
      kind: 'reserve';
      purchase: Purchase;
      attempt: number;
      /** For the bill, which may have no other history to tell of it. */
      model: string;
      tags: Tags;
      limit: number | null;
      since?: number | undefined;
      by?: string | undefined;
      /** What the price hangs on: an account knows what such purchases have cost, whoever made them. */
      facts?: PriceFacts | undefined;
      mayComeBack?: true | undefined;
      answeredWithin?: number | undefined;
    } & Cost)
  /** A submit has bought a task. */
  | { kind: 'accept'; purchase: Purchase; taskId: string; credits: number; facts?: PriceFacts | undefined }
  /** A submit has ended, and nobody can tell whether it has bought: it stays reserved. */
  | { kind: 'doubt'; purchase: Purchase }
  /** A lost submit of that workflow has bought a task, which has not ended. */
  | ({ kind: 'found' } & TaskTold)
  /** A task of that workflow has ended, with what it has cost in the end. */
  | ({ kind: 'settle' } & TaskTold)
  /** A submit has bought nothing, for sure. */
  | { kind: 'release'; purchase: Purchase; attempt: number }
  | PartBooking;

/** A task, as its record tells of it. */
interface TaskTold {
  workflowId: string;
  taskId: string;
  credits: number;
  facts?: PriceFacts | undefined;
}

export type BookingOf<Kind extends Booking['kind']> = Extract<Booking, { kind: Kind }>;

/** Of a part that makes many purchases, whose ids begin with its own: a row of a batch. */
export type PartBooking =
  /** What the account has to hold from here on, as a run says that began at `since`: see `reserve`. */
  | { kind: 'limit'; limit: number; since: number; by?: string | undefined }
  /**
   * Before it is started: what it buys by its plan is held for it, so that others do not leave it half done; all that is
   * left where nobody knows what that costs, until somebody does. `later`: what it buys if a person approves it, maybe days
   * later, has to be free, and is not held; `laterSteps`: the steps that buy it. `most`: it has a budget of its own.
   */
  | {
      kind: 'hold';
      workflowId: string;
      limit: number;
      since: number;
      purchases: PartPurchases[];
      later?: PartPurchases[] | undefined;
      laterSteps?: string[] | undefined;
      most?: number | undefined;
    }
  | { kind: 'end'; workflowId: string };

/** Kinds of purchases of a part that are told: of more, only the price of these is held for it. */
export const MOST_PART_KINDS = 100;
/** Steps behind approvals that are told: what others buy counts as bought at once. */
export const MOST_LATER_STEPS = 20;

/** Purchases of one kind. `facts`: of what one of them costs on average; `credits`: as far as a process knows that. */
export interface PartPurchases {
  facts: PriceFacts;
  times: number;
  credits: number | null;
}

/** For whom credits are reserved. */
export interface Holder {
  /** Of the run that buys; of a row: its pipeline, for what it will buy yet. */
  workflowId: string;
  credits: number;
  /** Whether its submit was lost: nobody can tell whether it has bought a task. */
  isUnknown: boolean;
}

/** So many are told of: those of unknown outcome first, then those for which the most is reserved. */
export const MOST_HOLDERS = 3;

/** `limit`: what held, where a later run has told of it. */
export type BookingEnd = { spent: number; reserved: number; limit?: number } & (
  | { kind: 'booked' }
  /**
   * What is reserved may come back. `waiting`: how many submits have got that answer and are to ask again; `bought`: what
   * others of the same run have bought, which may not have heard of it.
   */
  | { kind: 'busy'; from: CreditsFrom; holders: Holder[]; waiting?: number; bought?: string[] }
  /**
   * `price`: what would have to be free, as far as the account knows; null: nobody knows. `until`: when the period ends
   * (milliseconds since the epoch); null: never. `alike`: of a row, how many that come after it would buy the same.
   */
  | { kind: 'refused'; price: number | null; until: number | null; holders: Holder[]; alike?: number }
);

export type EndOf<Kind extends BookingEnd['kind']> = Extract<BookingEnd, { kind: Kind }>;

/**
 * Who waits for credits asks again this soon, and what stands against them is looked at this soon (milliseconds): together
 * nobody waits for longer than ten seconds for what is free. Where many wait for the same credits they ask by turns, each
 * so long after the other (`apart`): one of them is soon there.
 */
export const RETURNING = { askedWithin: 5_000, lookedAtWithin: 5_000, apart: 50 };

/**
 * What may bring back what is reserved: the end of a submit under way, a sign of what a lost one has bought, a task's
 * refund, the end of a part.
 */
export type CreditsFrom = 'submit' | 'doubt' | 'task' | 'part';

/** Answer of the query `account`. */
export interface AccountReport {
  /** The period that the numbers are of; credits reserved in an earlier one are not among them. */
  period: string;
  spent: number;
  reserved: number;
  /** How many purchases are open. */
  purchases: number;
  holders: Holder[];
  /** What it has to hold, as the latest run has said. */
  limit?: number;
}

/** What an account keeps of an open purchase. In a list, without names: there may be thousands. */
export type AccountEntry = [
  workflowId: string,
  runId: string,
  activityId: string,
  workspace: string,
  /** The period that it was reserved in. */
  period: string,
  attempt: number,
  /** Credits that are reserved for it. */
  credits: number,
  /** Its task; null: nobody has told of one. */
  taskId: string | null,
  /** When it was reserved, or its task became known; and when it is looked at next (milliseconds since the epoch). */
  since: number,
  lookAt: number,
  /** Until when its submit may be answered. */
  answeredBy: number,
];

/** The argument of `account`: the rest is carried over by continue-as-new. */
export interface AccountState extends AccountName {
  /** The period that `spent` is of. */
  period?: string;
  spent?: number;
  /** At most 1 MB as JSON. */
  entries?: AccountEntry[];
  /** Digests of the ids of tasks that were settled last: whoever tells of one again is late. */
  settled?: string[];
  /** By digests of tasks' ids: what they were taken for, one of several purchases without a task. */
  guessed?: [task: string, purchase: AccountEntry][];
  /** What those of them have cost that are settled. */
  counted?: [task: string, credits: number][];
  prices?: PriceList;
  /**
   * What is held for parts that run and was not spent by them; what they have spent; when it was held, and when they are
   * looked at next (milliseconds since the epoch); what they buy, where nobody knows what that costs; the steps for which
   * nothing is held.
   */
  parts?: [
    workflowId: string,
    held: number,
    spent: number,
    since: number,
    lookAt: number,
    unpriced: PartPurchases[] | null,
    laterSteps: string[],
  ][];
  /** The open purchases whose price nobody knows, each by its id, with what its price hangs on. */
  unpriced?: [purchase: string, facts: PriceFacts | null][];
  /** The limit that was told of last, and when the run began that did (milliseconds since the epoch). */
  limit?: [credits: number, since: number];
  /** The workflows that go on with the budget of another one, those that were heard of last. */
  heirs?: string[];
  /** The ends of the ids of runs that wait for credits, and until when they are waited for. */
  waiting?: [run: string, until: number][];
}

/** What there is of an open purchase, as an audit has found it; `credits` as its task's record has them, null without one. */
export type PurchaseFound =
  | { kind: 'open'; taskId?: string; credits?: number }
  | { kind: 'settled'; taskId?: string; credits: number | null }
  | { kind: 'unbought' };

/** An open purchase for an audit. */
export interface PurchaseToAudit extends Purchase {
  taskId: string | null;
}
