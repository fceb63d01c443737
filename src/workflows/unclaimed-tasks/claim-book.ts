import type {
  FormerClaim,
  KeptClaim,
  ModelShape,
  OldWithdrawal,
  Ownership,
  SubmitProof,
  TaskNotice,
  UnclaimedTasksCounts,
  UnclaimedTasksLimits,
  UnclaimedTasksPage,
  UnclaimedTasksState,
  Withdrawal,
  WithdrawalEnd,
  WithdrawalKind,
} from '../../contract/unclaimed-tasks.ts';
import { LookedClock } from '../../policy/looked-clock.ts';
import { byteSize, pagesOf } from './byte-size.ts';
import { FormerClaims } from './former-claims.ts';
import { Grants } from './grants.ts';
import { type Entry, KeptTasks } from './kept-tasks.ts';
import { Looks } from './looks.ts';
import { choose, fits } from './matching.ts';
import { OpenClaims } from './open-claims.ts';
import type { ReadClaim } from './read-messages.ts';

const MINUTE = 60_000;
const LIMITS: UnclaimedTasksLimits = {
  entryLife: 60 * MINUTE,
  entryLifeAtLeast: 2 * MINUTE,
  entryBytes: 900_000,
  claimBytes: 500_000,
  formerLife: 24 * 60 * MINUTE,
  formerBytes: 100_000,
  claimCheck: 10 * MINUTE,
  maxHistory: 6_000,
};
/** One of the arguments that continue-as-new carries over; the server takes 2 MB of all together. */
const PAGE_BYTES = 100_000;
const MAX_MODEL_BYTES = 40_000;
/** After this share of its wait a claim takes a task that has failed, where no better one has come. */
const LAST_RESORT = 0.75;
/** Delayed events make a claim wait anew, but not longer than so many times its wait in all. */
const MAX_WAITS = 10;
/** While a claim waits, somebody looks at least this often: so it is noticed when nobody could. */
const TICK = 5_000;
const IDLE = 10 * MINUTE;
/** Expired entries are dropped together. */
const SWEEP = 30_000;
/** When a run asks again, in milliseconds. */
const ASK_AGAIN = { soon: 500, 'in flight': 1_000, lasting: 5_000 };

const ALARMS = {
  evicted:
    'tasks had to be forgotten early for lack of room: a submit that lost its answer may be bought twice',
  refused: 'claims were not taken for lack of room: they come again',
  malformed: 'messages to unclaimed-tasks could not be understood',
} as const satisfies Record<keyof UnclaimedTasksCounts, string>;

/** What is to be looked at in one survey. */
export interface Batch {
  tasks: Entry[];
  /** Workflows that look for one of them: they hold none. */
  claimants: string[];
}

/** A grant that its claimant has to be told of. */
export interface Granted {
  claim: KeptClaim;
  task: Entry;
}

/** A task that shows that a submit which was given up has been charged. */
export interface Proof extends SubmitProof {
  former: FormerClaim;
}

/**
 * What `unclaimed-tasks/<workspace>` remembers: tasks that nobody is known to hold, who looks for one, who was given
 * which, and who has given up. Bounded in bytes whatever comes. Every change is one step without a pause; `now` is in
 * milliseconds since the epoch. All waits are judged by looked time.
 */
export class ClaimBook {
  readonly limits: UnclaimedTasksLimits;
  readonly counts: UnclaimedTasksCounts;
  readonly #carried: Pick<UnclaimedTasksState, 'workspace' | 'limits'>;
  readonly #clock: LookedClock;
  readonly #tasks: KeptTasks;
  readonly #claims = new OpenClaims();
  readonly #former: FormerClaims;
  readonly #grants: Grants;
  readonly #models: Map<string, ModelShape>;
  /** The tasks that somebody may get. */
  readonly #looks = new Looks();
  /** When claims are next looked up, in looked time. */
  #claimCheckAt: number;
  /** What was told of in alarms, and when (looked time). */
  #told: UnclaimedTasksCounts;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(state: UnclaimedTasksState, pages: readonly UnclaimedTasksPage[], now: number) {
    const { workspace, limits, clock, counts, granted = [], models = {} } = state;
    this.#carried = { workspace, ...(limits === undefined ? {} : { limits }) };
    this.limits = { ...LIMITS, ...limits };
    this.counts = { malformed: 0, evicted: 0, refused: 0, ...counts };
    this.#clock = new LookedClock(clock?.at ?? now, clock?.looked);
    this.#models = new Map(Object.entries(models));
    this.#grants = new Grants(granted);
    this.#former = new FormerClaims(
      { bytes: this.limits.formerBytes, life: this.limits.formerLife },
      pages.flatMap(({ former = [] }) => former),
    );
    const { entryBytes: bytes, entryLife: life, entryLifeAtLeast: lifeAtLeast } = this.limits;
    this.#tasks = new KeptTasks(
      { bytes, life, lifeAtLeast },
      pages.flatMap(({ tasks = [] }) => tasks),
    );
    for (const claim of pages.flatMap(({ claims = [] }) => claims)) this.#claims.put(claim);
    for (const task of this.#tasks.values()) if (this.#isWanted(task)) this.#looks.want(task.taskId, now);
    this.#claimCheckAt = this.#clock.looked + this.limits.claimCheck;
    this.#told = { ...this.counts };
    this.look(now);
  }

  get taskCount(): number {
    return this.#tasks.size;
  }

  get claims(): KeptClaim[] {
    return [...this.#claims.values()];
  }

  get formerCount(): number {
    return this.#former.size;
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0 && this.#claims.size === 0 && this.#former.size === 0;
  }

  /** What continue-as-new carries over: the arguments of the next run, none of them larger than a page. */
  carryOver(now: number): [UnclaimedTasksState, ...UnclaimedTasksPage[]] {
    this.look(now);
    return [
      {
        ...this.#carried,
        granted: this.#grants.kept,
        models: Object.fromEntries(this.#models),
        clock: { looked: this.#clock.looked, at: now },
        counts: this.counts,
      },
      ...pagesOf(this.#tasks.packed(), PAGE_BYTES).map((tasks) => ({ tasks })),
      ...pagesOf(this.claims, PAGE_BYTES).map((claims) => ({ claims })),
      ...pagesOf([...this.#former.values()], PAGE_BYTES).map((former) => ({ former })),
    ];
  }

  /** What an operator has to know of and was not told yet; not more often than once a minute. */
  newAlarms(): { message: string; count: number }[] {
    if (this.#clock.looked - this.#toldAt < MINUTE) return [];
    const news = (Object.keys(ALARMS) as (keyof typeof ALARMS)[]) // its own keys
      .map((what) => ({ message: ALARMS[what], count: this.counts[what] - this.#told[what] }))
      .filter(({ count }) => count > 0);
    if (news.length === 0) return [];
    this.#told = { ...this.counts };
    this.#toldAt = this.#clock.looked;
    return news;
  }

  /** To be called whenever something comes or is done: what passed since the last time was looked at. */
  look(now: number): void {
    // Whatever is waited for could not come while nobody was there.
    if (this.#clock.look(now)) this.#delayAll();
    for (const taskId of this.#tasks.dropExpired(this.#clock.looked)) this.#looks.forget(taskId);
    this.#former.dropExpired(this.#clock.looked);
  }

  /** Says when the next look will be, at the latest. */
  plan(due: number): void {
    this.#clock.plan(due);
  }

  /** A task that nobody is known to hold. One that was granted is nobody else's. */
  addTask(notice: TaskNotice, now: number): void {
    this.look(now);
    if (this.#grants.includes(notice.taskId)) return;
    const wanted = (taskId: string): boolean => this.#looks.has(taskId);
    const { gone, early } = this.#tasks.add(notice, this.#clock.looked, wanted);
    for (const taskId of gone) this.#looks.forget(taskId);
    this.counts.evicted += early;
    const entry = this.#tasks.get(notice.taskId);
    if (entry !== undefined && this.#isWanted(entry)) this.#looks.want(entry.taskId, now);
  }

  /**
   * A claim, or one that is repeated: by the same run while it asks a person, by its Reset's run, which takes its
   * place and looks for the task of the same submit.
   */
  addClaim({ shape, ...claim }: ReadClaim, now: number): void {
    this.look(now);
    const { claimId, runId, since, wait } = claim;
    if (this.#grants.of(claimId) !== undefined) return;
    this.#learnModel(claim.model, shape);
    const other = this.#claims.ofPurchase(claim);
    // The run has got on since: this one comes late.
    if (other !== undefined && other.claimId !== claimId && other.runId === runId && since < other.since)
      return;
    const earlier = other?.claimId === claimId || other?.runId !== runId ? other : undefined;
    const goesOn = earlier?.runId === runId;
    const { looked } = this.#clock;
    const kept: KeptClaim = {
      ...claim,
      since: Math.min(since, earlier?.since ?? since),
      looksFrom: goesOn ? earlier.looksFrom : looked,
      looksUntilAtMost: goesOn ? earlier.looksUntilAtMost : looked + MAX_WAITS * wait,
      ...(goesOn && earlier.delayed ? { delayed: true } : {}),
    };
    if (!this.#makeRoom(kept, other)) {
      this.counts.refused += 1;
      return;
    }
    if (other !== undefined) this.#claims.delete(other.claimId);
    this.#former.delete(claimId);
    this.#claims.put(kept);
    for (const task of this.#tasks.values()) if (this.#fits(task, kept)) this.#looks.want(task.taskId, now);
  }

  /** Events are late: whoever looks for a task now has its whole wait before it again. */
  delay(now: number): void {
    this.look(now);
    this.#delayAll();
  }

  withdraw(withdrawal: Withdrawal | OldWithdrawal, now: number): WithdrawalEnd {
    this.look(now);
    if ('as' in withdrawal) return this.#end(withdrawal.claimId, withdrawal.as, now);
    return inOldWords(this.#end(withdrawal.claimId, withdrawal.force ? 'settled' : 'give up', now));
  }

  /** The tasks that are to be looked at now; undefined: none. Those that nobody wants any more are left alone. */
  nextBatch(now: number): Batch | undefined {
    const tasks = this.#looks.take(now, (taskId) => {
      const task = this.#tasks.get(taskId);
      if (task === undefined || !this.#isWanted(task)) return 'forget';
      return task.endedWithoutResult === true &&
        this.#entitled(task).length === 0 &&
        this.#fitting(task).length > 0
        ? { later: now + this.#untilLastResort(task) }
        : task;
    });
    if (tasks.length === 0) return undefined;
    const claimants = new Set(
      tasks.flatMap((task) => this.#fitting(task).map(({ workflowId }) => workflowId)),
    );
    return { tasks, claimants: [...claimants] };
  }

  /** What a survey has found, and what follows: one atomic step. */
  judge(
    found: Readonly<Record<string, Ownership>>,
    batch: Batch,
    now: number,
  ): { grants: Granted[]; proofs: Proof[] } {
    this.look(now);
    const grants: Granted[] = [];
    const proofs: Proof[] = [];
    for (const { taskId } of batch.tasks) {
      const task = this.#tasks.get(taskId);
      if (task === undefined) continue;
      const ownership = this.#settled(
        task,
        found[taskId] ?? { kind: 'unreadable', reason: 'it was not looked at' },
      );
      if (ownership.kind === 'held') this.#forget(taskId);
      else if (ownership.kind !== 'free') this.#looks.wait(task, ownership, now, this.#clock.looked);
      else {
        const { fields, family, endedWithoutResult } = ownership;
        const facts = {
          ...(fields === undefined ? {} : { fields }),
          ...(family === undefined ? {} : { family }),
          ...(endedWithoutResult ? { endedWithoutResult } : {}),
        };
        this.#tasks.learn(taskId, facts);
        this.#give({ ...task, ...facts }, ownership, now, grants, proofs);
      }
    }
    return { grants, proofs };
  }

  /** A grant whose claimant could not be told: it is as if it had not been, unless the claimant knows by now. */
  revoke({ claim, task }: Granted, now: number): void {
    if (!this.#grants.revoke(claim.claimId)) return;
    this.#tasks.restore(task);
    this.#looks.want(task.taskId, now + ASK_AGAIN['in flight']);
    if (this.#claims.ofPurchase(claim) === undefined) this.#claims.put(claim);
  }

  /** The claims whose runs are to be looked up, where it is time for it. */
  claimsToCheck(now: number): KeptClaim[] {
    this.look(now);
    if (this.#claims.size === 0 || this.#clock.looked < this.#claimCheckAt) return [];
    this.#claimCheckAt = this.#clock.looked + this.limits.claimCheck;
    return this.claims;
  }

  /** A claim's run has closed, and there is no other of the same purchase; or there is: a Reset's. */
  checked(claimId: string, run: { runId: string } | 'closed', now: number): void {
    this.look(now);
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return;
    if (run === 'closed') this.#leave(claim, now, true);
    else if (run.runId !== claim.runId) this.#claims.put({ ...claim, runId: run.runId });
  }

  /** When there is something to do, at the latest. */
  nextDue(now: number): number {
    const { looked } = this.#clock;
    const at = (looksAt: number | undefined): number =>
      looksAt === undefined ? Number.POSITIVE_INFINITY : now + looksAt - looked;
    const sweep = (expiry: number | undefined): number =>
      expiry === undefined
        ? Number.POSITIVE_INFINITY
        : Math.max(at(expiry), now + Math.min(SWEEP, this.limits.entryLife / 4));
    let due = Math.min(
      now + IDLE,
      this.#looks.firstDue,
      sweep(this.#tasks.firstExpiry),
      sweep(this.#former.firstExpiry),
    );
    if (this.#claims.size > 0) due = Math.min(due, at(this.#claimCheckAt));
    for (const { looksFrom, wait } of this.#claims.values())
      if (looked < looksFrom + wait) return Math.min(due, now + TICK);
    return due;
  }

  #delayAll(): void {
    const { looked } = this.#clock;
    for (const claim of this.claims) {
      if (looked < claim.looksUntilAtMost) this.#claims.put({ ...claim, looksFrom: looked, delayed: true });
    }
  }

  #end(claimId: string, as: WithdrawalKind, now: number): WithdrawalEnd {
    const taskId = this.#grants.tell(claimId);
    if (taskId !== undefined) return { kind: 'granted', taskId };
    const claim = this.#claims.get(claimId);
    if (claim === undefined) return { kind: this.#former.has(claimId) ? 'gone' : 'not there' };
    if (as === 'settled' || as === 'abandon') {
      this.#leave(claim, now, as === 'abandon');
      return { kind: 'gone' };
    }
    const more = this.#mayStillCome(claim, as, now);
    if (more !== undefined) return more;
    // However late the claim has been looked at: nothing better will come for it.
    const ended = this.#looks.ids().find((id) => {
      const task = this.#tasks.get(id);
      return task?.endedWithoutResult === true && this.#fits(task, claim);
    });
    if (ended !== undefined) {
      this.#grant(ended, claim, now);
      this.#grants.tell(claimId);
      return { kind: 'granted', taskId: ended };
    }
    if (as === 'look') return { kind: 'nothing' };
    this.#leave(claim, now, true);
    return { kind: 'gone' };
  }

  /** Why a claim should not be given up yet. */
  #mayStillCome(claim: KeptClaim, as: WithdrawalKind, now: number): WithdrawalEnd | undefined {
    const { looked } = this.#clock;
    const { looksFrom, wait, looksUntilAtMost, patience } = claim;
    const left = Math.min(looksFrom + wait, looksUntilAtMost) - looked;
    if (claim.delayed && left > 0 && as !== 'buy again')
      return { kind: 'looking', wait: left, why: 'events were delayed', lasting: false };
    let reason: WithdrawalEnd | undefined;
    for (const [taskId, look] of this.#looks.entries()) {
      const task = this.#tasks.get(taskId);
      if (task === undefined || task.endedWithoutResult === true || !this.#fits(task, claim)) continue;
      if (look.state === 'unreadable' || look.state === 'alike')
        return { kind: 'looking', wait: ASK_AGAIN.lasting, why: look.why, lasting: true };
      // Judged by the looks that were made: one that is overdue may show that nobody is in flight any more.
      if (look.state === 'new' || look.nextAt <= now)
        reason ??= { kind: 'looking', wait: ASK_AGAIN.soon, why: look.why, lasting: false };
      else if (looked - look.since < patience)
        reason ??= { kind: 'looking', wait: ASK_AGAIN['in flight'], why: look.why, lasting: false };
    }
    return reason;
  }

  #leave(claim: KeptClaim, now: number, unproven: boolean): void {
    this.#claims.delete(claim.claimId);
    if (unproven) this.#former.add(claim, this.#clock.looked);
    // What nobody could choose between may be clear now.
    this.#looks.hasten('alike', now);
  }

  /** Many submits in flight were not looked at: after the longest that one can take none of them can own the task. */
  #settled(task: Entry, ownership: Ownership): Ownership {
    if (ownership.kind !== 'in flight') return ownership;
    if (task.owner !== undefined) return { kind: 'free' };
    const since = this.#looks.blockedSince(task.taskId) ?? this.#clock.looked;
    const patience = Math.max(...this.#fitting(task).map((claim) => claim.patience));
    const isOver = Number.isFinite(patience) && this.#clock.looked - since >= patience;
    return ownership.unverified && isOver ? { kind: 'free' } : ownership;
  }

  #give(
    task: Entry,
    { outcome, usage }: Extract<Ownership, { kind: 'free' }>,
    now: number,
    grants: Granted[],
    proofs: Proof[],
  ): void {
    const { taskId } = task;
    const choice = choose(task, this.#entitled(task), (model) => this.#models.get(model));
    if (choice.kind === 'one') {
      grants.push({ claim: choice.search, task });
      this.#grant(taskId, choice.search, now);
    } else if (choice.kind === 'alike') {
      this.#looks.wait(task, choice, now, this.#clock.looked);
    } else if (this.#fitting(task).length > 0) {
      this.#looks.again(taskId, now + this.#untilLastResort(task));
    } else {
      const former = this.#formerOf(task);
      if (former !== undefined && usage !== undefined) {
        proofs.push({
          former,
          claimId: former.claimId,
          taskId,
          usage,
          ...(outcome === undefined ? {} : { outcome }),
        });
        this.#former.delete(former.claimId);
        this.#forget(taskId);
      } else this.#looks.forget(taskId);
    }
  }

  #grant(taskId: string, claim: KeptClaim, now: number): void {
    this.#forget(taskId);
    this.#claims.delete(claim.claimId);
    this.#grants.add({ claimId: claim.claimId, taskId });
    this.#looks.hasten('alike', now);
  }

  #forget(taskId: string): void {
    this.#tasks.drop(taskId);
    this.#looks.forget(taskId);
  }

  #fits(task: Entry, claim: KeptClaim | FormerClaim): boolean {
    return fits(task, claim, this.#models.get(claim.model));
  }

  /** The open claims that a task may be for. */
  #fitting(task: Entry): KeptClaim[] {
    return [...this.#claims.candidates(task.fields)].filter((claim) => this.#fits(task, claim));
  }

  /**
   * Those that would take it by now. One that has failed is for those who have waited long: it may be what an equal
   * generation has had before. One whose owner is known is that one's, failed or not.
   */
  #entitled(task: Entry): KeptClaim[] {
    const fitting = this.#fitting(task);
    if (task.endedWithoutResult !== true || task.owner !== undefined) return fitting;
    return fitting.filter((claim) => lastResortAt(claim) <= this.#clock.looked);
  }

  #untilLastResort(task: Entry): number {
    return Math.max(1, Math.min(...this.#fitting(task).map(lastResortAt)) - this.#clock.looked);
  }

  #formerOf(task: Entry): FormerClaim | undefined {
    for (const former of this.#former.values()) if (this.#fits(task, former)) return former;
    return undefined;
  }

  #isWanted(task: Entry): boolean {
    for (const claim of this.#claims.candidates(task.fields)) if (this.#fits(task, claim)) return true;
    return this.#formerOf(task) !== undefined;
  }

  #learnModel(model: string, shape: ModelShape | undefined): void {
    if (shape === undefined) return;
    const before = this.#models.get(model);
    this.#models.set(model, shape);
    if (byteSize(Object.fromEntries(this.#models)) <= MAX_MODEL_BYTES) return;
    if (before === undefined) this.#models.delete(model);
    else this.#models.set(model, before);
  }

  /** Where there is none, the claims of those who ask a person go first: they come again. */
  #makeRoom(claim: KeptClaim, replaced: KeptClaim | undefined): boolean {
    const { claimBytes } = this.limits;
    const size = byteSize(claim) - (replaced === undefined ? 0 : byteSize(replaced));
    if (this.#claims.bytes + size <= claimBytes) return true;
    const { looked } = this.#clock;
    for (const { claimId, looksFrom, wait } of this.claims) {
      if (looked < looksFrom + wait || claimId === replaced?.claimId) continue;
      this.#claims.delete(claimId);
      if (this.#claims.bytes + size <= claimBytes) return true;
    }
    return false;
  }
}

/** In looked time. */
function lastResortAt({ looksFrom, wait, looksUntilAtMost }: KeptClaim): number {
  return Math.min(looksFrom + LAST_RESORT * wait, looksUntilAtMost);
}

/** As release 0.1 understands it. */
function inOldWords(end: WithdrawalEnd): WithdrawalEnd {
  if (end.kind !== 'looking') return end;
  return end.lasting || end.why !== 'events were delayed'
    ? { kind: 'unsettled' }
    : { kind: 'held up', wait: end.wait };
}
