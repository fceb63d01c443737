import {
  allHandlersFinished,
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { AccountState } from '../../contract/entities/account.ts';
import { holdersInWords } from '../../contract/entities/account-words.ts';
import { accountQuery, bookUpdate } from '../../contract/messages.ts';
import { goOn, isLong } from '../go-on.ts';
import { inline } from '../markdown-text.ts';
import { AccountBook } from './account-book.ts';
import { isBookings, readState } from './read-state.ts';

const MAX_HISTORY = 2_000;
/** How often a budget's account looks whether there is still a run that it is for (milliseconds). */
const OWNER_LOOKED_FOR = 24 * 60 * 60_000;

const { auditPurchases } = proxyActivities<Pick<DarkroomActivities, 'auditPurchases'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 5 },
});
/** No local ones: a booking would be answered only after their end (`in-order.ts`). */
const { hasRuns, closedRuns } = proxyActivities<Pick<DarkroomActivities, 'hasRuns' | 'closedRuns'>>({
  startToCloseTimeout: '20 seconds',
  retry: { maximumAttempts: 5 },
});

/**
 * Entity workflow `account/<scope>`: what a budget or cap has spent, and what is reserved for purchases that are open.
 * The submits reserve before they POST, the looks at tasks settle; what nobody has told the end of, the account looks
 * after itself. A cap's ends with its period, a budget's when the server has no run any more of its id or below it, nor of
 * one that goes on with it.
 */
export async function account(asked: AccountState): Promise<void> {
  const state = readState(asked);
  const { scope, per, owner } = state;
  const book = new AccountBook(state, Date.now());
  let ownerDue = Date.now() + OWNER_LOOKED_FOR;
  let booked = 0;
  const show = (): void => {
    const { period, spent, reserved, purchases, holders } = book.report(Date.now());
    const sums = `${spent} credits spent, ${reserved} reserved for ${purchases} open purchases`;
    const who = holders.length === 0 ? '' : `. ${inline(holdersInWords(holders))}`;
    setCurrentDetails(`**${scope}**, ${period}: ${sums}${who}`);
  };
  setHandler(accountQuery, () => book.report(Date.now()));
  setHandler(
    bookUpdate,
    (bookings) => {
      booked += 1;
      const ends = bookings.map((booking) => book.book(booking, Date.now()));
      show();
      return ends;
    },
    {
      validator: (bookings) => {
        if (!isBookings(bookings)) throw new Error('these are no bookings');
      },
    },
  );
  /** Whether it limits nothing any more. */
  const isOver = async (): Promise<boolean> => {
    if (owner === undefined) return book.isOver(Date.now());
    if (Date.now() < ownerDue) return false;
    ownerDue = Date.now() + OWNER_LOOKED_FOR;
    for (const one of [owner, ...book.heirs]) if (await hasRuns(one).catch(() => true)) return false;
    return true;
  };
  const dueBy = (now: number): number =>
    Math.min(book.nextDue(now) ?? Infinity, owner === undefined ? Infinity : ownerDue);
  for (;;) {
    const now = Date.now();
    const due = dueBy(now);
    const isEarlier = (): boolean => dueBy(Date.now()) < due || isLong(MAX_HISTORY);
    // Bookings alone wake nobody, and the timer stays.
    if (due === Infinity) await condition(isEarlier);
    else if (due > now)
      await condition(isEarlier, due - now, { summary: 'until there is something to look at' });
    // What cannot be told now is asked again with the next look.
    const parts = book.parts.toLookAt(Date.now());
    if (parts.length > 0) {
      const runs = parts.map(({ name, since }) => ({ workflowId: name, runId: null, since }));
      const closed = await closedRuns(runs).catch((): number[] => []);
      for (const [place, part] of parts.entries()) if (closed.includes(place)) book.parts.ended(part);
      show();
    }
    const looked = book.toLookAt(Date.now());
    if (looked.length > 0) {
      const purchases = looked.map(({ workflowId, runId, activityId, workspace, taskId }) => ({
        workflowId,
        runId,
        activityId,
        workspace,
        taskId,
      }));
      const found = await auditPurchases(purchases).catch(() => []);
      for (const [index, one] of looked.entries()) {
        const what = found[index];
        if (what !== undefined) book.found(one, what, Date.now());
      }
      show();
    }
    const seen = booked;
    if ((await isOver()) && book.isQuiet(Date.now())) {
      await condition(allHandlersFinished);
      if (booked === seen) return;
    }
    if (isLong(MAX_HISTORY)) {
      await condition(allHandlersFinished);
      await goOn<typeof account>(book.carryOver({ scope, per, ...(owner === undefined ? {} : { owner }) }));
    }
  }
}
