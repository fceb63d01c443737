import {
  type AccountEntry,
  type AccountState,
  type Booking,
  MOST_LATER_STEPS,
  MOST_PART_KINDS,
  type PartPurchases,
  type Purchase,
} from '../../contract/entities/account.ts';
import { ALL_PERIODS } from '../../policy/periods.ts';
import type { PriceFacts, PriceList } from '../../policy/prices/price-table.ts';
import { LONGEST_WORKSPACE, readEntity } from '../arguments/read-arguments.ts';
import {
  amount,
  count,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  positive,
  type Shape,
  table,
  text,
  tuple,
} from '../arguments/shapes.ts';

const idText = text(1_000);
const id: Shape<string> = (value): value is string => idText(value) && value !== '';
const workspace = text(LONGEST_WORKSPACE);
const period = text(20);

const entry = tuple<AccountEntry>(
  id,
  id,
  id,
  workspace,
  period,
  count,
  amount,
  orNull(id),
  number,
  number,
  number,
);

const steps = list(text(64), MOST_LATER_STEPS);

type Part = NonNullable<AccountState['parts']>[number];

/** No model takes as many sources. */
const seconds = optional(list(orNull(positive), 20));

const seen = tuple<PriceList[number][1][number]>(amount, amount, amount, amount, count, seconds);

const facts = object<PriceFacts>({
  kind: id,
  volume: positive,
  seconds,
  isByVolume: optional(oneOf(true)),
});

const purchases = list(
  object<PartPurchases>({ facts, times: count, credits: orNull(amount) }),
  MOST_PART_KINDS,
);

const state = object<AccountState>({
  scope: id,
  per: oneOf(...ALL_PERIODS),
  owner: optional(id),
  period: optional(period),
  spent: optional(amount),
  entries: optional(list(entry)),
  settled: optional(list(text(20))),
  guessed: optional(list(tuple<[string, AccountEntry]>(text(20), entry))),
  counted: optional(list(tuple<[string, number]>(text(20), amount))),
  prices: optional(list(tuple<PriceList[number]>(id, list(seen)))),
  parts: optional(list(tuple<Part>(id, amount, amount, number, number, orNull(purchases), steps))),
  unpriced: optional(list(tuple<[string, PriceFacts | null]>(text(3_010), orNull(facts)))),
  limit: optional(tuple<[number, number]>(amount, number)),
  heirs: optional(list(id)),
  waiting: optional(list(tuple<[string, number]>(text(20), number))),
});

/** A run's only argument. @throws INVALID_REQUEST */
export function readState(value: unknown): AccountState {
  return readEntity('account', value, state, ['per', 'owner']);
}

/** Bookings in one update. */
export const MOST_BOOKINGS = 500;

const purchase = object<Purchase>({ workflowId: id, runId: id, activityId: id, workspace });

const told = { workflowId: id, taskId: id, credits: amount, facts: optional(facts) };

const KINDS: { readonly [Kind in Booking['kind']]: Shape<Extract<Booking, { kind: Kind }>> } = {
  reserve: object({
    kind: oneOf('reserve'),
    purchase,
    attempt: count,
    model: id,
    tags: table(id),
    price: orNull(amount),
    expected: optional(amount),
    limit: orNull(amount),
    since: optional(amount),
    by: optional(id),
    facts: optional(facts),
    mayComeBack: optional(oneOf(true)),
    answeredWithin: optional(amount),
  }),
  accept: object({ kind: oneOf('accept'), purchase, taskId: id, credits: amount, facts: optional(facts) }),
  doubt: object({ kind: oneOf('doubt'), purchase }),
  found: object({ kind: oneOf('found'), ...told }),
  settle: object({ kind: oneOf('settle'), ...told }),
  release: object({ kind: oneOf('release'), purchase, attempt: count }),
  limit: object({ kind: oneOf('limit'), limit: amount, since: amount, by: optional(id) }),
  hold: object({
    kind: oneOf('hold'),
    workflowId: id,
    limit: amount,
    since: amount,
    purchases,
    later: optional(purchases),
    laterSteps: optional(steps),
    most: optional(amount),
  }),
  end: object({ kind: oneOf('end'), workflowId: id }),
};

const booking: Shape<Booking> = (value): value is Booking =>
  Object.values<Shape<unknown>>(KINDS).some((shape) => shape(value));

/** Whether an update's argument is what it takes: anybody can send one. */
export const isBookings: Shape<Booking[]> = list(booking, MOST_BOOKINGS);
