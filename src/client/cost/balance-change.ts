import type { Caller, MediaApi } from '../../api/client/media-api.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import type { BilledTask } from '../../temporal/bill/run-bill.ts';

/** What the API says that is left, all workspaces together, in credits; and when (milliseconds since the epoch). */
export interface Balance {
  credits: number;
  at: number;
}

/** How a balance has changed since a time, in credits. */
export interface BalanceChange {
  before: number;
  now: number;
  /** What the bill has of that time, without what was given back. */
  bought: number;
  /** By how much more than that it has fallen; below 0: so much has come in. */
  unexplained: number;
  /** What was given back for tasks that were bought before, and perhaps only since: it is in no other sum. */
  refundedEarlier: number;
}

/** @returns undefined where the API does not tell one of them */
export async function readBalance(
  api: Pick<MediaApi, 'getCredits'>,
  callers: ReadonlyMap<string, Caller>,
): Promise<Balance | undefined> {
  const at = Date.now();
  const answers = await Promise.all(
    [...callers.values()].map((caller) => api.getCredits(caller, GET_TIMEOUT)),
  );
  const told = answers.flatMap((answer) => (answer.kind === 'credits' ? answer.credits.available : []));
  const credits = told.reduce((sum, available) => sum + available, 0);
  return told.length === answers.length ? { credits, at } : undefined;
}

/**
 * @param before what was left at the time since when the bill is
 * @param bill.tasks what was bought since; `earlier`: before, by runs that were open then or are
 * @param workspaces those that the balances are of
 */
export function balanceChange(
  before: number,
  now: Balance,
  bill: { tasks: readonly BilledTask[]; earlier: readonly BilledTask[] },
  workspaces: ReadonlyMap<string, unknown>,
): BalanceChange {
  const isCounted = ({ workspace, at }: BilledTask): boolean => workspaces.has(workspace) && at <= now.at;
  const sum = (tasks: readonly BilledTask[], of: (task: BilledTask) => number): number =>
    tasks.filter(isCounted).reduce((all, task) => all + of(task), 0);
  const bought = sum(bill.tasks, ({ credits, refunded }) => credits - refunded);
  const refundedEarlier = sum(bill.earlier, ({ refunded }) => refunded);
  return { before, now: now.credits, bought, unexplained: before - now.credits - bought, refundedEarlier };
}
