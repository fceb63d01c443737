import {
  allHandlersFinished,
  condition,
  getExternalWorkflowHandle,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { ClaimRun, DarkroomActivities } from '../../contract/activities.ts';
import type { Ownership, TaskName } from '../../contract/entities/task-notices.ts';
import type {
  KeptClaim,
  UnclaimedTasksPage,
  UnclaimedTasksState,
} from '../../contract/entities/unclaimed-tasks.ts';
import {
  claimRequestedSignal,
  eventsDelayedSignal,
  lookBegunSignal,
  lookingForQuery,
  taskCreatedSignal,
  taskGrantedSignal,
  unclaimedLikeQuery,
  unclaimedQuery,
  withdrawClaimsUpdate,
} from '../../contract/messages.ts';
import { goOn, isLong } from '../go-on.ts';
import { ClaimBook } from './claim-book.ts';
import { describe } from './describe.ts';
import { pagesOf } from './pages-of.ts';
import { readClaim, readNotices, readWithdrawals } from './read-messages.ts';
import { readPages, readState } from './read-state.ts';
import type { Batch, Granted, Proof } from './surveys.ts';

/** While activities look things up, nobody is expected to look at the clock (milliseconds). */
const LOOKING_UP = 60_000;
/** Bytes of an activity's argument. */
const ARGUMENT_BYTES = 40_000;

const { surveyTasks, takeTaskNames, checkClaims, tellProof } = proxyActivities<
  Pick<DarkroomActivities, 'surveyTasks' | 'takeTaskNames' | 'checkClaims' | 'tellProof'>
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
 *
 * @param handedOn what an earlier run carried over
 */
export async function unclaimedTasks(
  asked: UnclaimedTasksState,
  ...handedOn: UnclaimedTasksPage[]
): Promise<void> {
  const state = readState(asked);
  const pages = readPages(handedOn);
  const book = new ClaimBook(state, pages, Date.now());
  takeMessages(book);
  for (;;) {
    show(book);
    if (book.isEmpty) {
      await condition(allHandlersFinished);
      if (book.isEmpty) return;
    }
    await sleepUntilDue(book);
    book.look(Date.now());
    book.plan(Date.now() + LOOKING_UP);
    const batch = book.nextBatch(Date.now());
    if (batch !== undefined) await lookAt(book, state.workspace, batch);
    await check(book, book.claimsToCheck(Date.now()));
    if (isLong(book.limits.maxHistory)) {
      await condition(allHandlersFinished);
      await goOn<typeof unclaimedTasks>(...book.carryOver(Date.now()));
    }
  }
}

/** What is of no use to anybody costs nothing but its signal: it wakes nobody, and the timer stays. */
async function sleepUntilDue(book: ClaimBook): Promise<void> {
  const due = book.nextDue(Date.now());
  book.plan(due);
  if (due <= Date.now() || isLong(book.limits.maxHistory)) return;
  await condition(() => book.nextDue(Date.now()) < due || isLong(book.limits.maxHistory), due - Date.now(), {
    summary: 'until there is something to look at',
  });
}

/** Anybody can send a message, so it may be anything: one that throws would stop the workflow for good. */
function takeMessages(book: ClaimBook): void {
  setHandler(unclaimedQuery, () => book.unheld);
  setHandler(unclaimedLikeQuery, (submit) => book.unheldLike(submit));
  setHandler(lookingForQuery, (claimIds) => claimIds.map((claimId) => book.lookingFor(claimId, Date.now())));
  setHandler(taskCreatedSignal, (message) => takeTasks(book, message));
  setHandler(claimRequestedSignal, (message) => takeClaim(book, message));
  setHandler(eventsDelayedSignal, () => book.delay(Date.now()));
  setHandler(
    withdrawClaimsUpdate,
    (withdrawals) =>
      (readWithdrawals(withdrawals) ?? []).map((withdrawal) => book.withdraw(withdrawal, Date.now())),
    {
      validator: (withdrawals) => {
        if (readWithdrawals(withdrawals) === undefined) throw new Error('these are no withdrawals');
      },
    },
  );
}

/** Costs no history. */
function show(book: ClaimBook): void {
  setCurrentDetails(describe(book));
  for (const { message, ...fields } of book.alarms.news(book.looked)) log.warn(message, fields);
}

async function takeTasks(book: ClaimBook, message: unknown): Promise<void> {
  const { tasks, malformed } = readNotices(message, Date.now());
  book.alarms.counts.malformed += malformed;
  for (const task of tasks) book.addTask(task, Date.now());
  show(book);
  await Promise.all(book.takeBegun().map((claim) => tellOfLook(claim)));
}

/** Its run asks nobody while there is something to look at. */
async function tellOfLook({ claimId, workflowId, runId }: KeptClaim): Promise<void> {
  await getExternalWorkflowHandle(workflowId, runId)
    .signal(lookBegunSignal, { claimId })
    .catch(() => undefined); // it has closed
}

function takeClaim(book: ClaimBook, message: unknown): void {
  const claim = readClaim(message);
  if (claim === undefined) book.alarms.counts.malformed += 1;
  else book.addClaim(claim, Date.now());
  show(book);
}

/** Looks who holds these tasks, and grants those that are free. */
async function lookAt(book: ClaimBook, workspace: string, batch: Batch): Promise<void> {
  const found = await surveyTasks({
    workspace,
    tasks: batch.tasks.map((task) => {
      const { taskId, arrivedAt, fields } = task;
      return { taskId, arrivedAt, fields, ...(book.isLookedFor(task) ? {} : { forProof: true }) };
    }),
    claimants: pagesOf(batch.claimants, ARGUMENT_BYTES)[0] ?? [],
  });
  const unread = await takeNames(book, book.toTake(found, batch));
  const { grants, proofs } = book.judge({ ...found, ...unread }, batch, Date.now());
  const told = await Promise.all(grants.map((granted) => tell(granted)));
  const untold = grants.filter((_, index) => told[index] === false);
  for (const granted of untold) book.revoke(granted, Date.now());
  await check(
    book,
    untold.map(({ claim }) => claim),
  );
  for (const proof of proofs) book.told(proof, await tellOf(proof, workspace));
}

/** Before a task is given away its name is taken, which the server gives once. @returns those whose names could not be taken */
async function takeNames(book: ClaimBook, names: TaskName[]): Promise<Record<string, Ownership>> {
  return names.length === 0 ? {} : book.took(names, await takeTaskNames(names));
}

/** @returns false where the claimant has closed */
async function tell({ claim, task }: Granted): Promise<boolean> {
  const { claimId, workflowId, runId } = claim;
  try {
    const handle = getExternalWorkflowHandle(workflowId, runId);
    const { taskId, artifacts, credits } = task;
    await handle.signal(taskGrantedSignal, {
      claimId,
      taskId,
      ...(artifacts === undefined ? {} : { artifacts }),
      ...(credits === undefined ? {} : { credits }),
    });
    return true;
  } catch {
    return false;
  }
}

/** @returns whether a live run has taken it */
async function tellOf({ former, ...proof }: Proof, workspace: string): Promise<boolean> {
  const { workflowId, firstRunId, model, paidBy } = former;
  const { taken } = await tellProof({ workspace, workflowId, firstRunId, model, paidBy, proof });
  return taken;
}

/** Looks which claims have lost their run: it has closed, or a Reset's run has taken its place. */
async function check(book: ClaimBook, claims: ReturnType<ClaimBook['claimsToCheck']>): Promise<void> {
  const asked = claims.map(({ claimId, workflowId, firstRunId, runId }): ClaimRun => {
    return { claimId, workflowId, firstRunId, runId };
  });
  for (const page of pagesOf(asked, ARGUMENT_BYTES)) {
    book.plan(Date.now() + LOOKING_UP);
    for (const { claimId, run } of await checkClaims(page)) book.checked(claimId, run, Date.now());
  }
}
