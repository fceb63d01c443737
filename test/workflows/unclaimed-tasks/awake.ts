import type { WithdrawalEnd, WithdrawalKind } from '../../../src/contract/entities/claims.ts';
import type {
  Ownership,
  TakenName,
  TaskName,
  TaskNotice,
} from '../../../src/contract/entities/task-notices.ts';
import type { UnclaimedTasksLimits } from '../../../src/contract/entities/unclaimed-tasks.ts';
import { ClaimBook } from '../../../src/workflows/unclaimed-tasks/claim-book.ts';
import type { ReadClaim } from '../../../src/workflows/unclaimed-tasks/read-messages.ts';
import type { Batch } from '../../../src/workflows/unclaimed-tasks/surveys.ts';
import { submit, task } from './examples.ts';

export const WAIT = 60_000;
export const PATIENCE = 10_000;

export const claim = (claimId: string, over: Partial<ReadClaim> = {}): ReadClaim => ({
  ...submit(claimId),
  shape: { family: 'image', takes: { names: ['prompt', 'n'], open: false } },
  wait: WAIT,
  patience: PATIENCE,
  ...over,
});
export const notice = (taskId: string, over: Partial<TaskNotice> = {}): TaskNotice => ({
  ...task(taskId),
  ...over,
});

/** The names of tasks, taken for who would get them. */
export function ours(names: readonly TaskName[]): TakenName[] {
  return names.map(({ taskId }) => ({ taskId, kind: 'ours' }));
}

/** What a survey has found is given away: nobody but this deployment has the names of its tasks. */
export function judge(
  book: ClaimBook,
  found: Readonly<Record<string, Ownership>>,
  batch: Batch,
  now: number,
): ReturnType<ClaimBook['judge']> {
  const names = book.toTake(found, batch);
  book.took(names, ours(names));
  return book.judge(found, batch, now);
}

/**
 * A book whose workflow is awake at all times, as it is while claims wait: it looks every second. Visibility lists what
 * was written at once, where nothing else is said.
 */
export class Awake {
  book: ClaimBook;
  now = 0;

  constructor(limits: Partial<UnclaimedTasksLimits> = {}, ...claims: ReadClaim[]) {
    this.book = new ClaimBook({ workspace: 'default', limits: { visibilityLag: 0, ...limits } }, [], 0);
    for (const each of claims) this.book.addClaim(each, 0);
  }

  /** Goes on to that time. */
  at(time: number): ClaimBook {
    while (this.now < time) {
      this.now = Math.min(time, this.now + 1_000);
      this.book.look(this.now);
      this.book.plan(this.now + 1_000);
    }
    return this.book;
  }

  /** Nobody looks until that time. */
  awayUntil(time: number): ClaimBook {
    this.now = time;
    this.book.look(time);
    return this.book;
  }

  withdraw(claimId: string, as: WithdrawalKind = 'give up'): WithdrawalEnd {
    return this.book.withdraw({ claimId, as }, this.now);
  }

  /** One survey that finds the same of every task. @returns what was granted to whom */
  survey(ownership: Ownership = { kind: 'free' }): [claimId: string, taskId: string][] {
    const batch = this.book.nextBatch(this.now);
    if (batch === undefined) return [];
    const found = Object.fromEntries(batch.tasks.map(({ taskId }) => [taskId, ownership]));
    const { grants } = judge(this.book, found, batch, this.now);
    return grants.map((granted) => [granted.claim.claimId, granted.task.taskId]);
  }

  /** Continues as new. */
  renew(): void {
    const [state, ...pages] = JSON.parse(JSON.stringify(this.book.carryOver(this.now))) as ReturnType<
      ClaimBook['carryOver']
    >; // as Temporal hands it over
    this.book = new ClaimBook(state, pages, this.now);
  }
}
