import {
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DarkroomActivities } from '../../../contract/activities.ts';
import {
  claimRequestedSignal,
  eventsDelayedSignal,
  taskCreatedSignal,
  taskGrantedSignal,
  withdrawClaimsUpdate,
  withdrawClaimUpdate,
} from '../../../contract/messages.ts';
import type { OldWithdrawal, UnclaimedTasksState } from '../../../contract/unclaimed-tasks.ts';
import { OldClaimBook } from './claim-book.ts';
import type { OldClaim, OldEntry } from './messages.ts';

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 2_000;

const { surveyOwners, closedClaims } = proxyActivities<
  Pick<DarkroomActivities, 'surveyOwners' | 'closedClaims'>
>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

/** What a run of release 0.1 has come to. */
export interface Release01End {
  /** What it remembers, and messages that came since this release follows it: as they were sent. */
  left: { tasks: unknown[]; claims: unknown[] };
  granted: { claimId: string; taskId: string }[];
}

/**
 * A run that release 0.1 has begun, in its own steps as far as its history goes. Nothing is granted in this way any
 * more: as soon as it is not replayed, it hands over what it knows.
 *
 * @param isPatched whether the history has come to its end
 * @returns undefined where it ended
 */
export async function followRelease01(
  state: UnclaimedTasksState,
  isPatched: () => boolean,
): Promise<Release01End | undefined> {
  const book = new OldClaimBook(state);
  const since: Release01End['left'] = { tasks: [], claims: [] };
  let news = true;
  // Of release 0.1 only where they are replayed; what comes now may be anything.
  setHandler(taskCreatedSignal, (message) => {
    if (isPatched()) news = since.tasks.push(message) > 0;
    else if (book.addTask(message as unknown as OldEntry, Date.now())) news = true; // as release 0.1 has sent it
  });
  setHandler(claimRequestedSignal, (message) => {
    if (isPatched()) news = since.claims.push(message) > 0;
    else if (book.addClaim(message as unknown as OldClaim, Date.now())) news = true; // the same
  });
  setHandler(eventsDelayedSignal, () => book.delay(Date.now()));
  const withdraw = (withdrawal: unknown) => book.withdraw(withdrawal as OldWithdrawal, Date.now()); // the same
  setHandler(withdrawClaimsUpdate, (withdrawals) => withdrawals.map(withdraw));
  setHandler(withdrawClaimUpdate, withdraw);

  let blocked = false;
  let pause = FIRST_PAUSE;
  let claimsCheckedAt = Date.now();
  for (;;) {
    if (isPatched()) return leave();
    if (!news) {
      if (book.isEmpty) {
        await condition(allHandlersFinished);
        if (book.isEmpty) return undefined;
      }
      const wake = Math.max(100, book.nextWake(claimsCheckedAt, Date.now()) - Date.now());
      await condition(() => news || isLong(), blocked ? pause : wake);
      if (isPatched()) return leave();
    }
    news = false;
    book.dropOld(Date.now());
    blocked = await grantWhatCanBe(book, state.workspace);
    pause = blocked ? Math.min(pause * 1.3, LONGEST_PAUSE) : FIRST_PAUSE;
    if (book.claims.length > 0 && Date.now() - claimsCheckedAt >= book.limits.claimCheck) {
      claimsCheckedAt = Date.now();
      for (const claimId of await closedClaims(book.claims)) book.dropClaim(claimId);
    }
    if (isLong()) {
      await condition(allHandlersFinished);
      await continueAsNew(state);
    }
  }

  function isLong(): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength > book.limits.maxHistory;
  }

  function leave(): Release01End {
    return {
      left: {
        tasks: [...book.entries, ...since.tasks],
        claims: [...book.claims, ...since.claims],
      },
      granted: book.granted,
    };
  }
}

async function grantWhatCanBe(book: OldClaimBook, workspace: string): Promise<boolean> {
  const wanted = book.wanted(Date.now());
  if (wanted.length === 0) return false;
  const ownership = await surveyOwners({
    workspace,
    tasks: wanted.map(({ task }) => task),
    claims: book.claims.map(({ workflowId, runId }) => ({ workflowId, runId })),
  });
  let waiting = false;
  for (const entry of wanted) {
    const { taskId } = entry.task;
    const { kind } = ownership[taskId] ?? { kind: 'in flight' };
    if (kind === 'spent') entry.isSpent = true;
    const claim = book.firstClaimFor(entry, Date.now());
    if (kind === 'held') book.dropTask(taskId);
    else if (kind === 'in flight' && entry.owner === undefined) {
      waiting = true;
      book.block(taskId, Date.now());
    } else if (claim !== undefined && book.has(taskId)) await grant(book, taskId, claim);
  }
  return waiting;
}

async function grant(book: OldClaimBook, taskId: string, claim: OldClaim): Promise<void> {
  const revoke = book.grant(taskId, claim.claimId);
  try {
    const handle = getExternalWorkflowHandle(claim.workflowId, claim.runId);
    await handle.signal(taskGrantedSignal, { claimId: claim.claimId, taskId });
  } catch {
    revoke();
  }
}
