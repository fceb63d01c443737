import { CancellationScope, proxyLocalActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { BatchRequest } from '../../contract/batch.ts';
import type { BookingEnd } from '../../contract/entities/account.ts';

const { bookParts } = proxyLocalActivities<Pick<DarkroomActivities, 'bookParts'>>({
  startToCloseTimeout: '1 minute',
});

type Limited = Pick<BatchRequest, 'budget'>;

/** Has the budget's account hold what a row may cost, before it is started. */
export async function holdForRow(
  { credits }: NonNullable<Limited['budget']>,
  workflowId: string,
): Promise<BookingEnd | undefined> {
  const [end] = await bookParts([{ kind: 'hold', workflowId, limit: credits }]);
  return end;
}

/** What was held for rows that have ended is free. @param rows with what each has cost in all */
export async function endRows(
  { budget }: Limited,
  rows: [workflowId: string, credits: number][],
): Promise<void> {
  if (budget === undefined || rows.length === 0) return;
  const bookings = rows.map(([workflowId, credits]) => ({ kind: 'end', workflowId, credits }) as const);
  await CancellationScope.nonCancellable(() => bookParts(bookings));
}
