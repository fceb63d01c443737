import type { Looking, SubmitShape, Withdrawal, WithdrawalEnd } from '../../contract/entities/claims.ts';
import type { Ownership, TakenName, TaskName, TaskNotice } from '../../contract/entities/task-notices.ts';
import type {
  KeptClaim,
  UnclaimedTasksLimits,
  UnclaimedTasksPage,
  UnclaimedTasksState,
} from '../../contract/entities/unclaimed-tasks.ts';
import type { Alarms } from './alarms.ts';
import { endClaim, lookingFor } from './ending-claims.ts';
import { lookedAtSoon } from './giving-up.ts';
import type { Entry } from './kept-tasks.ts';
import { fits } from './matching.ts';
import { Memory } from './memory.ts';
import type { ReadClaim } from './read-messages.ts';
import { type Batch, type Granted, type Proof, Surveys } from './surveys.ts';
import { takeClaim } from './taking-claims.ts';

/** While a claim waits, somebody looks at least this often: so it is noticed when nobody could (milliseconds). */
const TICK = 5_000;
const IDLE = 10 * 60_000;
/** Expired entries are dropped together. */
const SWEEP = 30_000;

/**
 * What `unclaimed-tasks/<workspace>` remembers: tasks that nobody is known to hold, who looks for one, who was given
 * which, and who has given up. Bounded in bytes whatever comes. Every change is one step without a pause; `now` is in
 * milliseconds since the epoch. All waits are judged by looked time.
 */
export class ClaimBook {
  readonly #memory: Memory;
  readonly #surveys: Surveys;
  /** The claims that were told that there is nothing, and for which there is something now. */
  #begun: KeptClaim[] = [];
  /** When claims are next looked up, in looked time. */
  #claimCheckAt: number;

  constructor(state: UnclaimedTasksState, pages: readonly UnclaimedTasksPage[], now: number) {
    this.#memory = new Memory(state, pages, now);
    this.#surveys = new Surveys(this.#memory);
    this.#claimCheckAt = this.looked + this.limits.claimCheck;
    this.look(now);
  }

  get limits(): UnclaimedTasksLimits {
    return this.#memory.limits;
  }

  get alarms(): Alarms {
    return this.#memory.alarms;
  }

  /** The tasks that nobody is known to hold: not those that were granted. */
  get unheld(): string[] {
    return [...this.#memory.tasks.values()].flatMap(({ taskId, grantedTo }) =>
      grantedTo === undefined ? taskId : [],
    );
  }

  get taskCount(): number {
    return this.unheld.length;
  }

  /** The tasks that nobody is known to hold and that may be of such a submit. */
  unheldLike({ shape, ...sent }: SubmitShape): string[] {
    const search = { ...sent, claimId: '', firstRunId: '' };
    return [...this.#memory.tasks.values()].flatMap((task) =>
      task.grantedTo === undefined && fits(task, search, shape) ? task.taskId : [],
    );
  }

  get claims(): KeptClaim[] {
    return this.#memory.claims;
  }

  get formerCount(): number {
    return this.#memory.seekers.former.size;
  }

  get isEmpty(): boolean {
    const { tasks, seekers } = this.#memory;
    return tasks.size === 0 && seekers.open.size === 0 && seekers.former.size === 0;
  }

  /** Now, in looked time. */
  get looked(): number {
    return this.#memory.looked;
  }

  /** What continue-as-new carries over: the arguments of the next run, none of them larger than a page. */
  carryOver(now: number): [UnclaimedTasksState, ...UnclaimedTasksPage[]] {
    this.look(now);
    return this.#memory.carryOver(now);
  }

  /** To be called whenever something comes or is done: what passed since the last time was looked at. */
  look(now: number): void {
    const { clock, tasks, looks, seekers } = this.#memory;
    // Whatever is waited for could not come while nobody was there.
    if (clock.look(now)) this.#delayAll();
    for (const taskId of tasks.dropExpired(this.looked)) looks.forget(taskId);
    seekers.former.dropExpired(this.looked);
  }

  /** Says when the next look will be, at the latest. */
  plan(due: number): void {
    this.#memory.clock.plan(due);
  }

  /** A task that nobody is known to hold. One that was granted is nobody else's. */
  addTask(notice: TaskNotice, now: number): void {
    this.look(now);
    const { alarms, grants, tasks, looks, seekers } = this.#memory;
    if (grants.includes(notice.taskId)) return;
    const wanted = (taskId: string): boolean => looks.has(taskId);
    const { gone, early } = tasks.add(notice, this.looked, wanted);
    for (const taskId of gone) looks.forget(taskId);
    alarms.counts.evicted += early;
    const entry = tasks.get(notice.taskId);
    if (entry === undefined || !seekers.want(entry)) return;
    if (!looks.has(entry.taskId)) this.#begin(entry);
    this.#memory.lookAt(entry, now);
  }

  addClaim(claim: ReadClaim, now: number): void {
    this.look(now);
    takeClaim(this.#memory, claim, now);
  }

  /** Events are late: whoever looks for a task now has its whole wait before it again. */
  delay(now: number): void {
    this.look(now);
    this.#delayAll();
  }

  withdraw(withdrawal: Withdrawal, now: number): WithdrawalEnd {
    this.look(now);
    return endClaim(this.#memory, withdrawal, now);
  }

  /** What may still come for a claim, be it open or given up; null: nothing. */
  lookingFor(claimId: string, now: number): Looking | null {
    const untold = this.#surveys.untold(claimId);
    if (untold !== undefined) return lookedAtSoon(`task ${untold} is the one: its run is being told`);
    return lookingFor(this.#memory, claimId, now) ?? null;
  }

  /** The claims that a look has begun for since they were told that there is nothing: each is named once. */
  takeBegun(): KeptClaim[] {
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }

  /** The tasks that are to be looked at now; undefined: none. Those that nobody wants any more are left alone. */
  nextBatch(now: number): Batch | undefined {
    return this.#surveys.next(now);
  }

  /** Whether an open claim may get it: else it may prove what a submit has cost that was given up. */
  isLookedFor(task: Entry): boolean {
    return this.#memory.seekers.of(task).length > 0;
  }

  /** The tasks that would be given away by what a survey has found, and whose names are to be taken first. */
  toTake(found: Readonly<Record<string, Ownership>>, batch: Batch): TaskName[] {
    return this.#surveys.toTake(found, batch);
  }

  /** What has come of taking them. @returns what is known now of those whose names could not be taken */
  took(asked: readonly TaskName[], names: readonly TakenName[]): Record<string, Ownership> {
    return this.#surveys.took(asked, names);
  }

  /** What a survey has found, and what follows: one atomic step. Only what has its name for who gets it is given away. */
  judge(
    found: Readonly<Record<string, Ownership>>,
    batch: Batch,
    now: number,
  ): { grants: Granted[]; proofs: Proof[] } {
    this.look(now);
    return this.#surveys.judge(found, batch, now);
  }

  /** A grant whose claimant could not be told: it is as if it had not been, unless the claimant knows by now. */
  revoke(granted: Granted, now: number): void {
    this.#surveys.revoke(granted, now);
  }

  /** A proof was told. Where its run has taken it, the task is as if its claim had been granted it. */
  told(proof: Proof, isTaken: boolean): void {
    this.#surveys.told(proof, isTaken);
  }

  /** The claims whose runs are to be looked up, where it is time for it. */
  claimsToCheck(now: number): KeptClaim[] {
    this.look(now);
    if (this.#memory.seekers.open.size === 0 || this.looked < this.#claimCheckAt) return [];
    this.#claimCheckAt = this.looked + this.limits.claimCheck;
    return this.claims;
  }

  /** A claim's run has closed, and there is no other of the same purchase; or there is: a Reset's. */
  checked(claimId: string, run: { runId: string } | 'closed', now: number): void {
    this.look(now);
    const { open } = this.#memory.seekers;
    const claim = open.get(claimId);
    if (claim === undefined) return;
    if (run === 'closed') this.#memory.leave(claim, now, 'closed');
    else if (run.runId !== claim.runId) open.put({ ...claim, runId: run.runId });
  }

  /** When there is something to do, at the latest. */
  nextDue(now: number): number {
    const { looked, looks, tasks } = this.#memory;
    const { open, former } = this.#memory.seekers;
    const sweep = Math.min(SWEEP, this.limits.entryLife / 4);
    const expiries = [tasks.firstExpiry, former.firstExpiry].filter((at) => at !== undefined);
    let wait = Math.min(IDLE, ...expiries.map((at) => Math.max(sweep, at - looked)));
    if (open.size > 0) wait = Math.min(wait, this.#claimCheckAt - looked);
    for (const claim of open.values())
      if (looked < claim.looksFrom + claim.wait) {
        wait = Math.min(wait, TICK);
        break;
      }
    return Math.min(now + wait, looks.firstDue);
  }

  /** Runs that were told that there is nothing are told of a task that may be theirs. */
  #begin(task: Entry): void {
    const { seekers } = this.#memory;
    for (const { toldNothing, ...claim } of seekers.of(task)) {
      if (!toldNothing) continue;
      seekers.open.put(claim);
      this.#begun.push(claim);
    }
  }

  #delayAll(): void {
    const { looked, seekers } = this.#memory;
    for (const claim of this.claims)
      if (looked < claim.looksUntilAtMost) seekers.open.put({ ...claim, looksFrom: looked, delayed: true });
  }
}
