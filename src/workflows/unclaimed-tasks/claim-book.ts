import type {
  Claim,
  CreatedTaskNotice,
  UnclaimedEntry,
  UnclaimedTasksLimits,
  UnclaimedTasksState,
  Withdrawal,
  WithdrawalEnd,
} from '../../contract/unclaimed-tasks.ts';
import { firstClaim } from './matching.ts';

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

/**
 * What `unclaimed-tasks/<workspace>` remembers: tasks that nobody is known to hold, who looks for one, and who was
 * given which. Every change is one step without a pause. Times are milliseconds since the epoch.
 */
export class ClaimBook {
  readonly limits: UnclaimedTasksLimits;
  readonly #state: UnclaimedTasksState;
  readonly #entries: Map<string, UnclaimedEntry>;
  readonly #claims: Map<string, Claim>;
  /** Task ids by claim id. */
  readonly #granted: Map<string, string>;
  /** Since when tasks have been waiting for an answer in flight, by task id. */
  readonly #blockedSince = new Map<string, number>();

  constructor(state: UnclaimedTasksState) {
    this.#state = state;
    this.limits = { ...LIMITS, ...state.limits };
    this.#entries = new Map((state.entries ?? []).map((entry) => [entry.task.taskId, entry]));
    this.#claims = new Map((state.claims ?? []).map((claim) => [claim.claimId, claim]));
    this.#granted = new Map((state.granted ?? []).map(({ claimId, taskId }) => [claimId, taskId]));
  }

  get entries(): UnclaimedEntry[] {
    return [...this.#entries.values()];
  }

  get claims(): Claim[] {
    return [...this.#claims.values()];
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0 && this.#claims.size === 0;
  }

  /** What continue-as-new carries over. */
  get state(): UnclaimedTasksState {
    const { workspace, limits } = this.#state;
    const granted = [...this.#granted].slice(-MAX_GRANTS_KEPT);
    return {
      workspace,
      ...(limits === undefined ? {} : { limits }),
      entries: this.entries,
      claims: this.claims,
      granted: granted.map(([claimId, taskId]) => ({ claimId, taskId })),
    };
  }

  /** @returns whether that is news: a task that was granted is nobody else's */
  addTask({ task, owner }: CreatedTaskNotice, now: number): boolean {
    if ([...this.#granted.values()].includes(task.taskId)) return false;
    this.#entries.set(task.taskId, {
      ...(this.#entries.get(task.taskId) ?? { task }),
      ...(owner === undefined ? {} : { owner }),
      expiresAt: now + this.limits.entryLife,
    });
    return true;
  }

  /** @returns whether that is news */
  addClaim(claim: Claim, now: number): boolean {
    if (this.#granted.has(claim.claimId) || this.#claims.has(claim.claimId)) return false;
    const { wait = 0 } = claim;
    this.#claims.set(claim.claimId, {
      ...claim,
      lastResortAt: now + LAST_RESORT * wait,
      looksUntilAtMost: now + MOST_WAITS * wait,
    });
    return true;
  }

  dropClaim(claimId: string): void {
    this.#claims.delete(claimId);
  }

  /** Events are late: whoever looks for a task now has its whole wait before it again. */
  holdUp(now: number): void {
    for (const claim of this.#claims.values()) {
      const { wait = 0, lastResortAt = 0, looksUntilAtMost = 0 } = claim;
      claim.looksUntil = Math.min(now + wait, looksUntilAtMost);
      claim.lastResortAt = Math.max(lastResortAt, claim.looksUntil - (1 - LAST_RESORT) * wait);
    }
  }

  withdraw({ claimId, force, patience }: Withdrawal, now: number): WithdrawalEnd {
    const taskId = this.#granted.get(claimId);
    if (taskId !== undefined) return { kind: 'granted', taskId };
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return { kind: 'not there' };
    if (!force) {
      const { looksUntil = 0 } = claim;
      if (now < looksUntil) return { kind: 'held up', wait: looksUntil - now };
      if (this.#mayStillGet(claim, patience, now)) return { kind: 'unsettled' };
      // However late the claim has been looked at: nothing better will come for it.
      const spent = this.entries.find((entry) => entry.isSpent === true && fits(entry, claim));
      if (spent !== undefined) {
        this.grant(spent.task.taskId, claimId);
        return { kind: 'granted', taskId: spent.task.taskId };
      }
    }
    this.#claims.delete(claimId);
    return { kind: 'gone' };
  }

  /** A task that was not looked at yet is no reason to give up, however late the workflow is with it. */
  #mayStillGet(claim: Claim, patience: number, now: number): boolean {
    return this.entries.some(
      (entry) =>
        entry.isSpent !== true &&
        now - (this.#blockedSince.get(entry.task.taskId) ?? now) < patience &&
        fits(entry, claim),
    );
  }

  /** The tasks that somebody would take. */
  wanted(now: number): UnclaimedEntry[] {
    return this.entries.filter((entry) => this.firstClaimFor(entry, now) !== undefined);
  }

  firstClaimFor(entry: UnclaimedEntry, now: number): Claim | undefined {
    return firstClaim(entry.task, entry.owner, this.#claimsFor(entry, now));
  }

  /**
   * A spent task is for those who have waited long: it may be what an equal generation has had before. One whose
   * owner is known is that one's, spent or not.
   */
  #claimsFor({ isSpent, owner }: UnclaimedEntry, now: number): Claim[] {
    if (isSpent !== true || owner !== undefined) return this.claims;
    return this.claims.filter(({ lastResortAt = 0 }) => lastResortAt <= now);
  }

  /** Whether a task is still to be had: it may have been granted or forgotten meanwhile. */
  has(taskId: string): boolean {
    return this.#entries.has(taskId);
  }

  /** It waits for an answer in flight that may be its. */
  block(taskId: string, now: number): void {
    this.#blockedSince.set(taskId, this.#blockedSince.get(taskId) ?? now);
  }

  dropTask(taskId: string): void {
    this.#entries.delete(taskId);
    this.#blockedSince.delete(taskId);
  }

  /** @returns takes the grant back, where the claimant turns out to be gone */
  grant(taskId: string, claimId: string): () => void {
    const entry = this.#entries.get(taskId);
    this.dropTask(taskId);
    this.#claims.delete(claimId);
    this.#granted.set(claimId, taskId);
    return () => {
      this.#granted.delete(claimId);
      if (entry !== undefined) this.#entries.set(taskId, entry);
    };
  }

  /** Forgets what has expired, and the oldest beyond the bounds: what continue-as-new carries must stay small. */
  dropOld(now: number): void {
    for (const { task, expiresAt } of this.entries) if (expiresAt <= now) this.dropTask(task.taskId);
    let characters = 0;
    for (const [index, entry] of this.entries.reverse().entries()) {
      characters += JSON.stringify(entry).length;
      if (index >= this.limits.maxEntries || characters > this.limits.maxCharacters)
        this.dropTask(entry.task.taskId);
    }
  }

  /** When something changes by itself. */
  nextWake(claimsCheckedAt: number, now: number): number {
    const hasSpent = this.entries.some(({ isSpent }) => isSpent);
    const lastResorts = this.claims.map(({ lastResortAt = 0 }) => lastResortAt).filter((at) => at > now);
    return Math.min(
      ...this.entries.map(({ expiresAt }) => expiresAt),
      ...(hasSpent ? lastResorts : []),
      this.#claims.size > 0 ? claimsCheckedAt + this.limits.claimCheck : Infinity,
      now + this.limits.entryLife,
    );
  }
}

/** Whether a task may turn out to be this claim's. */
function fits({ task, owner }: UnclaimedEntry, claim: Claim): boolean {
  return firstClaim(task, owner, [claim]) !== undefined;
}
