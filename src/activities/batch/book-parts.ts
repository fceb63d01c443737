import { isDeepStrictEqual } from 'node:util';
import { given } from '../../api/json/given.ts';
import type { BatchRow, HoldForRow, PartToBook } from '../../contract/batch.ts';
import {
  type BookingEnd,
  type BookingOf,
  MOST_LATER_STEPS,
  MOST_PART_KINDS,
  type PartPurchases,
} from '../../contract/entities/account.ts';
import { MOST_NUMBER } from '../../contract/limits.ts';
import { plannedOrders } from '../../contract/steps/planned-orders.ts';
import { rowRequest } from '../../contract/steps/row-request.ts';
import type { Priced } from '../../policy/prices/price-facts.ts';
import type { Size } from '../../policy/prices/sizes.ts';
import type { Payers } from '../account/payers.ts';
import type { Prices } from '../account/prices.ts';

interface Deps {
  payers: Pick<Payers, 'bookPart'>;
  prices: Prices;
}

/**
 * Books on the account of a budget: for a row, what it buys by its plan.
 *
 * @param of the workflow whose budget it is; absent: that of the activity
 */
export async function bookParts(
  { payers, prices }: Deps,
  bookings: readonly PartToBook[],
  of?: string,
): Promise<BookingEnd[]> {
  return await Promise.all(
    bookings.map(async (booking) =>
      booking.kind === 'hold'
        ? await holdForRow({ payers, prices }, booking)
        : await payers.bookPart(booking, of),
    ),
  );
}

async function holdForRow(
  { payers, prices }: Deps,
  { pipeline, rows, ...hold }: HoldForRow,
): Promise<BookingEnd> {
  const [first, ...others] = rows.map((row) => () => purchasesOf(pipeline, row, prices));
  const bought = first?.() ?? NOTHING;
  const end = await payers.bookPart({ ...hold, ...bought, ...given({ most: pipeline.budget?.credits }) });
  if (end.kind !== 'refused') return end;
  const other = others.findIndex((row) => !isDeepStrictEqual(row(), bought));
  return { ...end, alike: other < 0 ? others.length : other };
}

type Bought = Required<Pick<BookingOf<'hold'>, 'purchases' | 'later' | 'laterSteps'>>;
const NOTHING: Bought = { purchases: [], later: [], laterSteps: [] };

/** What a row buys. One that is not right ends as such, and buys nothing. */
function purchasesOf(pipeline: HoldForRow['pipeline'], row: BatchRow, prices: Prices): Bought {
  try {
    const request = rowRequest(pipeline, row);
    if (request === undefined) return NOTHING;
    const { atOnce, approved, approvedSteps } = plannedOrders(request);
    const laterSteps = approvedSteps.slice(0, MOST_LATER_STEPS);
    return { purchases: byKind(atOnce, prices), later: byKind(approved, prices), laterSteps };
  } catch {
    return NOTHING;
  }
}

function byKind(orders: readonly Priced[], prices: Prices): PartPurchases[] {
  const kinds = new Map<string, PartPurchases>();
  for (const order of orders) {
    const { facts, likely } = prices.of(order);
    // What nobody can ever know is not held for.
    if (facts === undefined || facts.volume > MOST_NUMBER) continue;
    const { times, ...before } = kinds.get(facts.kind) ?? { times: 0, facts, credits: likely };
    kinds.set(facts.kind, {
      facts: { ...facts, ...meanSize(before.facts, facts, times) },
      times: times + 1,
      credits: before.credits === null || likely === null ? null : mean(before.credits, likely, times),
    });
  }
  return [...kinds.values()].slice(0, MOST_PART_KINDS);
}

function mean(known: number, next: number, times: number): number {
  return known + (next - known) / (times + 1);
}

function meanSize(known: Size, { volume, seconds }: Size, times: number): Size {
  const lengths = seconds?.map((next, at) => {
    const before = known.seconds?.[at] ?? null;
    return before === null || next === null ? null : mean(before, next, times);
  });
  return { volume: mean(known.volume, volume, times), ...given({ seconds: lengths }) };
}
