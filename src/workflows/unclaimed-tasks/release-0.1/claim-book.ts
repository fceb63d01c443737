import type {
  OldWithdrawal,
  TaskGrant,
  UnclaimedTasksState,
  WithdrawalEnd,
} from '../../../contract/unclaimed-tasks.ts';
import { firstClaim } from './matching.ts';
import type { OldClaim, OldEntry, OldLimits } from './messages.ts';

const LIMITS: OldLimits = {
  entryLife: 60 * 60_000,
  maxEntries: 1_000,
  maxCharacters: 900_000,
  claimCheck: 10 * 60_000,
  maxHistory: 8_000,
};
const LAST_RESORT = 0.75;
const MAX_WAITS = 10;

/** The claim book of release 0.1, as it was: replayed histories must find the same commands. */
export class OldClaimBook {
  readonly limits: OldLimits;
  readonly #entries: Map<string, OldEntry>;
  readonly #claims: Map<string, OldClaim>;
  readonly #granted: Map<string, string>;
  readonly #blockedSince = new Map<string, number>();

  constructor(state: UnclaimedTasksState) {
    this.limits = { ...LIMITS, ...state.limits };
    const entries = (state.entries ?? []) as OldEntry[]; // release 0.1 has carried them over
    const claims = (state.claims ?? []) as OldClaim[]; // the same
    this.#entries = new Map(entries.map((entry) => [entry.task.taskId, entry]));
    this.#claims = new Map(claims.map((claim) => [claim.claimId, claim]));
    this.#granted = new Map((state.granted ?? []).map(({ claimId, taskId }) => [claimId, taskId]));
  }

  get entries(): OldEntry[] {
    return [...this.#entries.values()];
  }

  get claims(): OldClaim[] {
    return [...this.#claims.values()];
  }

  get granted(): TaskGrant[] {
    return [...this.#granted].map(([claimId, taskId]) => ({ claimId, taskId }));
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0 && this.#claims.size === 0;
  }

  addTask({ task, owner }: Pick<OldEntry, 'task' | 'owner'>, now: number): boolean {
    if ([...this.#granted.values()].includes(task.taskId)) return false;
    this.#entries.set(task.taskId, {
      ...(this.#entries.get(task.taskId) ?? { task }),
      ...(owner === undefined ? {} : { owner }),
      expiresAt: now + this.limits.entryLife,
    });
    return true;
  }

  addClaim(claim: OldClaim, now: number): boolean {
    if (this.#granted.has(claim.claimId) || this.#claims.has(claim.claimId)) return false;
    const { wait = 0 } = claim;
    this.#claims.set(claim.claimId, {
      ...claim,
      lastResortAt: now + LAST_RESORT * wait,
      looksUntilAtMost: now + MAX_WAITS * wait,
    });
    return true;
  }

  dropClaim(claimId: string): void {
    this.#claims.delete(claimId);
  }

  delay(now: number): void {
    for (const claim of this.#claims.values()) {
      const { wait = 0, lastResortAt = 0, looksUntilAtMost = 0 } = claim;
      claim.looksUntil = Math.min(now + wait, looksUntilAtMost);
      claim.lastResortAt = Math.max(lastResortAt, claim.looksUntil - (1 - LAST_RESORT) * wait);
    }
  }

  withdraw({ claimId, force, patience }: OldWithdrawal, now: number): WithdrawalEnd {
    const taskId = this.#granted.get(claimId);
    if (taskId !== undefined) return { kind: 'granted', taskId };
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return { kind: 'not there' };
    if (!force) {
      const { looksUntil = 0 } = claim;
      if (now < looksUntil) return { kind: 'held up', wait: looksUntil - now };
      if (this.#mayStillGet(claim, patience, now)) return { kind: 'unsettled' };
      const spent = this.entries.find((entry) => entry.isSpent === true && fits(entry, claim));
      if (spent !== undefined) {
        this.grant(spent.task.taskId, claimId);
        return { kind: 'granted', taskId: spent.task.taskId };
      }
    }
    this.#claims.delete(claimId);
    return { kind: 'gone' };
  }

  #mayStillGet(claim: OldClaim, patience: number, now: number): boolean {
    return this.entries.some(
      (entry) =>
        entry.isSpent !== true &&
        now - (this.#blockedSince.get(entry.task.taskId) ?? now) < patience &&
        fits(entry, claim),
    );
  }

  wanted(now: number): OldEntry[] {
    return this.entries.filter((entry) => this.firstClaimFor(entry, now) !== undefined);
  }

  firstClaimFor(entry: OldEntry, now: number): OldClaim | undefined {
    return firstClaim(entry.task, entry.owner, this.#claimsFor(entry, now));
  }

  #claimsFor({ isSpent, owner }: OldEntry, now: number): OldClaim[] {
    if (isSpent !== true || owner !== undefined) return this.claims;
    return this.claims.filter(({ lastResortAt = 0 }) => lastResortAt <= now);
  }

  has(taskId: string): boolean {
    return this.#entries.has(taskId);
  }

  block(taskId: string, now: number): void {
    this.#blockedSince.set(taskId, this.#blockedSince.get(taskId) ?? now);
  }

  dropTask(taskId: string): void {
    this.#entries.delete(taskId);
    this.#blockedSince.delete(taskId);
  }

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

  dropOld(now: number): void {
    for (const { task, expiresAt } of this.entries) if (expiresAt <= now) this.dropTask(task.taskId);
    let characters = 0;
    for (const [index, entry] of this.entries.reverse().entries()) {
      characters += JSON.stringify(entry).length;
      if (index >= this.limits.maxEntries || characters > this.limits.maxCharacters)
        this.dropTask(entry.task.taskId);
    }
  }

  nextWake(claimsCheckedAt: number, now: number): number {
    const hasSpent = this.entries.some(({ isSpent }) => isSpent);
    const lastResorts = this.claims.map(({ lastResortAt = 0 }) => lastResortAt).filter((at) => at > now);
    return Math.min(
      ...this.entries.map(({ expiresAt }) => expiresAt),
      ...(hasSpent ? lastResorts : []),
      this.#claims.size > 0 ? claimsCheckedAt + this.limits.claimCheck : Number.POSITIVE_INFINITY,
      now + this.limits.entryLife,
    );
  }
}

function fits({ task, owner }: OldEntry, claim: OldClaim): boolean {
  return firstClaim(task, owner, [claim]) !== undefined;
}
