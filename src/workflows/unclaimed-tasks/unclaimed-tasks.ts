import {
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import {
  claimRequestedSignal,
  eventsHeldUpSignal,
  taskCreatedSignal,
  taskGrantedSignal,
  withdrawClaimsUpdate,
  withdrawClaimUpdate,
} from '../../contract/messages.ts';
import type { Claim, Ownership, UnclaimedTasksState } from '../../contract/unclaimed-tasks.ts';
import { ClaimBook } from './claim-book.ts';

/** Between two looks at a task that waits for an answer in flight, in milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 2_000;

const { surveyOwners, closedClaims } = proxyActivities<
  Pick<DarkroomActivities, 'surveyOwners' | 'closedClaims'>
>({
  startToCloseTimeout: '1 minute',
  // A worker that dies over it must not keep all claims waiting.
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
});

/**
 * Entity workflow `unclaimed-tasks/<workspace>`: the tasks that the API says were created and that nobody is
 * known to hold, and the generations that lost the answer to a submit. Each task is granted to at most one
 * claim: the grant is one step of this single workflow. Ends when nothing is left to remember.
 */
export async function unclaimedTasks(state: UnclaimedTasksState): Promise<void> {
  const book = new ClaimBook(state);
  let news = true;
  setHandler(taskCreatedSignal, (notice) => {
    if (book.addTask(notice, Date.now())) news = true;
  });
  setHandler(claimRequestedSignal, (claim) => {
    if (book.addClaim(claim, Date.now())) news = true;
  });
  setHandler(eventsHeldUpSignal, () => book.holdUp(Date.now()));
  setHandler(withdrawClaimsUpdate, (withdrawals) =>
    withdrawals.map((withdrawal) => book.withdraw(withdrawal, Date.now())),
  );
  setHandler(withdrawClaimUpdate, (withdrawal) => book.withdraw(withdrawal, Date.now()));

  let blocked = false;
  let pause = FIRST_PAUSE;
  let claimsCheckedAt = Date.now();
  for (;;) {
    setCurrentDetails(describe(book));
    if (!news) {
      if (book.isEmpty) {
        await condition(allHandlersFinished);
        if (book.isEmpty) return;
      }
      const wake = Math.max(100, book.nextWake(claimsCheckedAt, Date.now()) - Date.now());
      // Updates alone make it long, too, and the server takes 2,000 of them a run.
      await condition(() => news || isLong(), blocked ? pause : wake, {
        summary: blocked ? 'an equal submit is in flight' : 'until something is forgotten',
      });
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
      await continueAsNew<typeof unclaimedTasks>(book.state);
    }
  }

  function isLong(): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength > book.limits.maxHistory;
  }
}

/** Grants every task that is free to its first claim; true when one has to wait for an answer in flight. */
async function grantWhatCanBe(book: ClaimBook, workspace: string): Promise<boolean> {
  const wanted = book.wanted(Date.now());
  if (wanted.length === 0) return false;
  const ownership: Record<string, Ownership> = await surveyOwners({
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
    // Also where the holder claims: a task that stands in its history is not the one that it looks for.
    if (kind === 'held') book.dropTask(taskId);
    else if (kind === 'in flight' && entry.owner === undefined) {
      waiting = true;
      book.block(taskId, Date.now());
    } else if (claim !== undefined && book.has(taskId)) await grant(book, taskId, claim);
  }
  return waiting;
}

async function grant(book: ClaimBook, taskId: string, claim: Claim): Promise<void> {
  const takeBack = book.grant(taskId, claim.claimId);
  try {
    const handle = getExternalWorkflowHandle(claim.workflowId, claim.runId);
    await handle.signal(taskGrantedSignal, { claimId: claim.claimId, taskId });
  } catch {
    // The claimant has closed: its task is free again, for a re-run of it or another claim.
    takeBack();
  }
}

function describe(book: ClaimBook): string {
  const { entries, claims } = book;
  const lines = [
    `${entries.length} task(s) that nobody is known to hold, ${claims.length} generation(s) looking`,
    '',
  ];
  for (const claim of claims.slice(0, 50)) lines.push(`- \`${claim.workflowId}\` (${claim.model})`);
  return lines.join('\n');
}
