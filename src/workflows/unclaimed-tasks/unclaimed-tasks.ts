import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DarkroomActivities } from '../../activities/create-activities.ts';
import { taskGrantedSignal } from '../messages.ts';
import type {
  Claim,
  CreatedTaskNotice,
  Ownership,
  UnclaimedEntry,
  UnclaimedTasksLimits,
  UnclaimedTasksState,
  Withdrawal,
  WithdrawalEnd,
} from './contract.ts';
import { firstClaim } from './matching.ts';

export const taskCreatedSignal = defineSignal<[CreatedTaskNotice]>('taskCreated');
export const claimRequestedSignal = defineSignal<[Claim]>('claimRequested');
/** Events of this workspace had to wait: a receiver was away, or had to refuse them. */
export const eventsHeldUpSignal = defineSignal('eventsHeldUp');
export const withdrawClaimUpdate = defineUpdate<WithdrawalEnd, [Withdrawal]>('withdrawClaim');

const LIMITS: UnclaimedTasksLimits = {
  entryLife: 60 * 60_000,
  maxEntries: 1_000,
  maxCharacters: 900_000,
  claimCheck: 10 * 60_000,
  maxHistory: 8_000,
};
const MAX_GRANTS_KEPT = 200;
/** After this share of its wait a claim takes a task that has failed, where no better one has come. */
const LAST_RESORT = 0.75;
/** Held-up events make a claim wait anew, but not longer than so many times its wait in all. */
const MOST_WAITS = 10;

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
  const entries = new Map((state.entries ?? []).map((entry) => [entry.task.taskId, entry]));
  const claims = new Map((state.claims ?? []).map((claim) => [claim.claimId, claim]));
  const granted = new Map((state.granted ?? []).map(({ claimId, taskId }) => [claimId, taskId]));
  const limits = { ...LIMITS, ...state.limits };
  /** Since when tasks have been waiting for an answer in flight, by task id. */
  const blockedSince = new Map<string, number>();
  let news = true;

  setHandler(taskCreatedSignal, (notice) => {
    if ([...granted.values()].includes(notice.task.taskId)) return;
    const known = entries.get(notice.task.taskId);
    entries.set(notice.task.taskId, {
      ...(known ?? notice),
      ...(notice.owner === undefined ? {} : { owner: notice.owner }),
      expiresAt: Date.now() + limits.entryLife,
    });
    news = true;
  });
  setHandler(claimRequestedSignal, (claim) => {
    if (granted.has(claim.claimId) || claims.has(claim.claimId)) return;
    const { wait = 0 } = claim;
    claims.set(claim.claimId, {
      ...claim,
      lastResortAt: Date.now() + LAST_RESORT * wait,
      looksUntilAtMost: Date.now() + MOST_WAITS * wait,
    });
    news = true;
  });
  setHandler(eventsHeldUpSignal, () => {
    for (const claim of claims.values()) {
      const { wait = 0, lastResortAt = 0, looksUntilAtMost = 0 } = claim;
      claim.looksUntil = Math.min(Date.now() + wait, looksUntilAtMost);
      claim.lastResortAt = Math.max(lastResortAt, claim.looksUntil - (1 - LAST_RESORT) * wait);
    }
  });
  setHandler(withdrawClaimUpdate, ({ claimId, force, patience }) => {
    const taskId = granted.get(claimId);
    if (taskId !== undefined) return { kind: 'granted', taskId };
    const claim = claims.get(claimId);
    if (claim === undefined) return { kind: 'not there' };
    const { looksUntil = 0 } = claim;
    if (!force && Date.now() < looksUntil) return { kind: 'held up', wait: looksUntil - Date.now() };
    // A task that was not looked at yet is no reason to give up, however late this workflow is with it.
    const hopeful = [...entries.values()].filter(
      ({ task, isSpent }) =>
        isSpent !== true && Date.now() - (blockedSince.get(task.taskId) ?? Date.now()) < patience,
    );
    if (!force && mayGet(claim, hopeful)) return { kind: 'unsettled' };
    const spent = [...entries.values()].find((entry) => entry.isSpent === true && mayGet(claim, [entry]));
    if (!force && spent !== undefined) {
      // However late the claim has been looked at: nothing better will come for it.
      entries.delete(spent.task.taskId);
      claims.delete(claimId);
      granted.set(claimId, spent.task.taskId);
      return { kind: 'granted', taskId: spent.task.taskId };
    }
    claims.delete(claimId);
    return { kind: 'gone' };
  });

  let blocked = false;
  let pause = 500;
  let claimsCheckedAt = Date.now();
  for (;;) {
    setCurrentDetails(describe(entries, claims));
    if (!news) {
      if (entries.size === 0 && claims.size === 0) {
        await condition(allHandlersFinished);
        if (entries.size === 0 && claims.size === 0) return;
      }
      await condition(() => news, blocked ? pause : Math.max(100, nextWake() - Date.now()), {
        summary: blocked ? 'an equal submit is in flight' : 'until something is forgotten',
      });
    }
    news = false;
    dropOld(entries, limits);
    blocked = await grantWhatCanBe();
    pause = blocked ? Math.min(pause * 1.3, 2_000) : 500;
    if (claims.size > 0 && Date.now() - claimsCheckedAt >= limits.claimCheck) {
      claimsCheckedAt = Date.now();
      for (const claimId of await closedClaims([...claims.values()])) claims.delete(claimId);
    }
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    if (continueAsNewSuggested || historyLength > limits.maxHistory) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof unclaimedTasks>({
        workspace: state.workspace,
        ...(state.limits === undefined ? {} : { limits: state.limits }),
        entries: [...entries.values()],
        claims: [...claims.values()],
        granted: [...granted].slice(-MAX_GRANTS_KEPT).map(([claimId, taskId]) => ({ claimId, taskId })),
      });
    }
  }

  function nextWake(): number {
    const expiries = [...entries.values()].map(({ expiresAt }) => expiresAt);
    const hasSpent = [...entries.values()].some(({ isSpent }) => isSpent);
    const lastResorts = [...claims.values()].map(({ lastResortAt = 0 }) => lastResortAt);
    return Math.min(
      ...expiries,
      ...(hasSpent ? lastResorts.filter((at) => at > Date.now()) : []),
      claims.size > 0 ? claimsCheckedAt + limits.claimCheck : Infinity,
      Date.now() + limits.entryLife,
    );
  }

  /** Grants every task that is free to its first claim; true when one has to wait for an answer in flight. */
  async function grantWhatCanBe(): Promise<boolean> {
    const wanted = [...entries.values()].filter(
      (entry) => firstClaim(entry.task, entry.owner, claimsFor(entry)) !== undefined,
    );
    if (wanted.length === 0) return false;
    const ownership: Record<string, Ownership> = await surveyOwners({
      workspace: state.workspace,
      tasks: wanted.map(({ task }) => task),
      claims: [...claims.values()].map(({ workflowId, runId }) => ({ workflowId, runId })),
    });
    let waiting = false;
    for (const taskId of blockedSince.keys()) if (!entries.has(taskId)) blockedSince.delete(taskId);
    for (const entry of wanted) {
      const { task, owner } = entry;
      const found = ownership[task.taskId] ?? { kind: 'in flight' };
      if (found.kind === 'spent') entry.isSpent = true;
      const claim = firstClaim(task, owner, claimsFor(entry));
      // Also where the holder claims: a task that stands in its history is not the one that it looks for.
      if (found.kind === 'held') entries.delete(task.taskId);
      else if (found.kind === 'in flight' && owner === undefined) {
        waiting = true;
        blockedSince.set(task.taskId, blockedSince.get(task.taskId) ?? Date.now());
      } else if (claim !== undefined && entries.has(task.taskId)) await grant(task.taskId, claim);
    }
    return waiting;
  }

  /**
   * A spent task is for those who have waited long: it may be what an equal generation has had before. One whose
   * owner is known is that one's, spent or not.
   */
  function claimsFor({ isSpent, owner }: UnclaimedEntry): Claim[] {
    const all = [...claims.values()];
    if (isSpent !== true || owner !== undefined) return all;
    return all.filter(({ lastResortAt = 0 }) => lastResortAt <= Date.now());
  }

  async function grant(taskId: string, claim: Claim): Promise<void> {
    const entry = entries.get(taskId);
    entries.delete(taskId);
    claims.delete(claim.claimId);
    granted.set(claim.claimId, taskId);
    try {
      const handle = getExternalWorkflowHandle(claim.workflowId, claim.runId);
      await handle.signal(taskGrantedSignal, { claimId: claim.claimId, taskId });
    } catch {
      // The claimant has closed: its task is free again, for a re-run of it or another claim.
      granted.delete(claim.claimId);
      if (entry !== undefined) entries.set(taskId, entry);
    }
  }
}

/** Whether one of the tasks may turn out to be this claim's. */
function mayGet(claim: Claim, entries: Iterable<UnclaimedEntry>): boolean {
  return [...entries].some(({ task, owner }) => firstClaim(task, owner, [claim]) !== undefined);
}

/** Forgets what has expired, and the oldest beyond the bounds: what continue-as-new carries must stay small. */
function dropOld(entries: Map<string, UnclaimedEntry>, limits: UnclaimedTasksLimits): void {
  const now = Date.now();
  for (const [taskId, { expiresAt }] of entries) if (expiresAt <= now) entries.delete(taskId);
  let characters = 0;
  const newestFirst = [...entries].reverse();
  newestFirst.forEach(([taskId, entry], index) => {
    characters += JSON.stringify(entry).length;
    if (index >= limits.maxEntries || characters > limits.maxCharacters) entries.delete(taskId);
  });
}

function describe(entries: ReadonlyMap<string, UnclaimedEntry>, claims: ReadonlyMap<string, Claim>): string {
  const lines = [
    `${entries.size} task(s) that nobody is known to hold, ${claims.size} generation(s) looking`,
    '',
  ];
  for (const claim of [...claims.values()].slice(0, 50))
    lines.push(`- \`${claim.workflowId}\` (${claim.model})`);
  return lines.join('\n');
}
