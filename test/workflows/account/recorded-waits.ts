import type { Client } from '@temporalio/client';
import type { Booking, BookingEnd, BookingOf, Purchase } from '../../../src/contract/entities/account.ts';
import { bookUpdate } from '../../../src/contract/messages.ts';
import { decode, readHistory, timeOf } from '../../../src/temporal/history.ts';

/** A booking, as an account's history has it. */
export interface Booked {
  /** Milliseconds since the epoch, by the server. */
  at: number;
  booking: Booking;
  end: BookingEnd;
}

/** How one purchase was kept from its credits. Times in milliseconds. */
export interface Wait {
  workflowId: string;
  /** Null: nobody knew it when it was asked last. */
  price: number | null;
  /** How often it was told to come again. */
  busy: number;
  /** Longest time in a row for which more than its price was free, by what was booked. */
  whileFree: number;
  /** Longest time between two asks. */
  apart: number;
  end: BookingEnd['kind'];
}

/** All that was booked on an account, in order, over its runs. */
export async function readBooked(client: Client, workflowId: string): Promise<Booked[]> {
  let runId = (await client.workflow.getHandle(workflowId).describe()).runId;
  let booked: Booked[] = [];
  while (runId !== '') {
    const events = (await readHistory(client, workflowId, runId)) ?? [];
    const asked = new Map<string, Booking[]>();
    const own: Booked[] = [];
    for (const event of events) {
      const accepted = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
      const completed = event.workflowExecutionUpdateCompletedEventAttributes;
      if (accepted?.input?.name === bookUpdate.name)
        asked.set(accepted.meta?.updateId ?? '', decode<[Booking[]]>(accepted.input.args)[0] ?? []);
      const bookings = asked.get(completed?.meta?.updateId ?? '') ?? [];
      const [ends = []] = decode<[BookingEnd[]]>(completed?.outcome?.success);
      for (const [index, booking] of bookings.entries()) {
        const end = ends[index];
        if (end !== undefined) own.push({ at: timeOf(event), booking, end });
      }
    }
    booked = [...own, ...booked];
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  }
  return booked;
}

const keyOf = ({ workflowId, runId, activityId }: Purchase): string =>
  [workflowId, runId, activityId].join(' ');

/** What purchases hold of a limit, by what was told of them: not by what the account says of itself. */
class Held {
  /** Null: nobody knows its price yet. */
  readonly #credits = new Map<string, { workflowId: string; credits: number | null; taskId?: string }>();
  /** What purchases have cost, by what their price hangs on. */
  readonly #prices = new Map<string, number>();
  #spent = 0;

  priceOf({ facts, price, expected }: BookingOf<'reserve'>): number | null {
    return this.#prices.get(JSON.stringify(facts)) ?? (expected === undefined ? price : null);
  }

  /** What is free; nothing while one runs alone whose price nobody knows. */
  free(limit: number): number {
    const held = [...this.#credits.values()].map(({ credits }) => credits ?? Infinity);
    return limit - held.reduce((sum, credits) => sum + credits, this.#spent);
  }

  note({ booking, end }: Booked): void {
    const { kind } = booking;
    if (kind === 'reserve' && end.kind === 'booked') {
      const { purchase } = booking;
      const known = this.#credits.get(keyOf(purchase));
      this.#credits.set(keyOf(purchase), known ?? { ...purchase, credits: this.priceOf(booking) });
    }
    if (kind === 'release') this.#credits.delete(keyOf(booking.purchase));
    if (kind === 'accept') {
      const { purchase, taskId, credits, facts } = booking;
      this.#prices.set(JSON.stringify(facts), credits);
      if (this.#credits.has(keyOf(purchase)))
        this.#credits.set(keyOf(purchase), { workflowId: purchase.workflowId, credits, taskId });
    }
    if (kind === 'settle') {
      const { taskId, workflowId, credits } = booking;
      const all = [...this.#credits];
      const own = all.find(([, one]) => one.taskId === taskId);
      const lost = all.find(([, one]) => one.taskId === undefined && one.workflowId === workflowId);
      const [key] = own ?? lost ?? [];
      if (key !== undefined && this.#credits.delete(key)) this.#spent += credits;
    }
  }
}

interface Waiting extends Wait {
  askedAt: number;
  /** Since when more than its price is free. */
  freeSince: number | null;
}

/**
 * How each purchase was kept waiting.
 *
 * @param limit what the account has to hold
 */
export function waitsOf(booked: readonly Booked[], limit: number): Wait[] {
  const held = new Held();
  const waits = new Map<string, Waiting>();
  for (const one of booked) {
    const { at, booking, end } = one;
    held.note(one);
    if (booking.kind === 'reserve') {
      const key = keyOf(booking.purchase);
      const { workflowId } = booking.purchase;
      // A submit whose worker was too busy to tell of itself is followed by another one.
      for (const [other, wait] of waits)
        if (other !== key && wait.workflowId === workflowId && wait.end === 'busy') waits.delete(other);
      const first = { workflowId, busy: 0, whileFree: 0, apart: 0, askedAt: at, freeSince: null };
      const before = waits.get(key) ?? first;
      waits.set(key, {
        ...before,
        price: held.priceOf(booking),
        busy: before.busy + (end.kind === 'busy' ? 1 : 0),
        apart: Math.max(before.apart, at - before.askedAt),
        askedAt: at,
        end: end.kind,
      });
    }
    const free = held.free(limit);
    for (const wait of waits.values()) {
      if (wait.freeSince !== null) wait.whileFree = Math.max(wait.whileFree, at - wait.freeSince);
      const isKept = wait.end === 'busy' && wait.price !== null && free > wait.price;
      wait.freeSince = isKept ? (wait.freeSince ?? at) : null;
    }
  }
  return [...waits.values()];
}
