import type {
  FormerClaim,
  KeptClaim,
  Looking,
  Ownership,
  SubmitProof,
  SubmitShape,
  TaskNotice,
  UnclaimedTasksLimits,
  UnclaimedTasksPage,
  UnclaimedTasksState,
  Withdrawal,
  WithdrawalEnd,
  WithdrawalKind,
} from '../../contract/entities/unclaimed-tasks.ts';
import { LookedClock } from '../../policy/looked-clock.ts';
import { Alarms } from './alarms.ts';
import { byteSize, pagesOf } from './byte-size.ts';
import { FormerClaims } from './former-claims.ts';
import { lookedAtSoon, openLook, whyNotYet } from './giving-up.ts';
import { Grants } from './grants.ts';
import { type Entry, KeptTasks } from './kept-tasks.ts';
import { KnownModels } from './known-models.ts';
import { LIMITS, PAGE_BYTES } from './limits.ts';
import { type Look, Looks } from './looks.ts';
import { fits } from './matching.ts';
import type { ReadClaim } from './read-messages.ts';
import { Seekers } from './seekers.ts';

/** Delayed events make a claim wait anew, but not longer than so many times its wait in all. */
const MAX_WAITS = 10;
/** While a claim waits, somebody looks at least this often: so it is noticed when nobody could (milliseconds). */
const TICK = 5_000;
const IDLE = 10 * 60_000;
/** Expired entries are dropped together. */
const SWEEP = 30_000;
/** Before a task is looked at again whose claimant could not be told. */
const AFTER_REVOKING = 1_000;

type FreeTask = Extract<Ownership, { kind: 'free' }>;

const NOT_LOOKED_AT: Ownership = { kind: 'unreadable', reason: 'it was not looked at' };

/** What is to be looked at in one survey. */
export interface Batch {
  tasks: Entry[];
  /** Runs whose claims are in, by what they have sent, and the first ones of their purchases: they hold none of them. */
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
  readonly alarms: Alarms;
  readonly #carried: Pick<UnclaimedTasksState, 'workspace' | 'limits'>;
  readonly #clock: LookedClock;
  readonly #tasks: KeptTasks;
  readonly #seekers: Seekers;
  readonly #grants: Grants;
  /** The tasks that somebody may get. */
  readonly #looks = new Looks();
  /** The claims that were told that there is nothing, and for which there is something now. */
  #begun: KeptClaim[] = [];
  /** The tasks of claims that were given up whose runs are being told, by claim. */
  readonly #untold = new Map<string, string>();
  /** When claims are next looked up, in looked time. */
  #claimCheckAt: number;

  constructor(state: UnclaimedTasksState, pages: readonly UnclaimedTasksPage[], now: number) {
    const { workspace, limits, clock, counts, granted = [], models } = state;
    this.#carried = { workspace, ...(limits === undefined ? {} : { limits }) };
    this.limits = { ...LIMITS, ...limits };
    this.alarms = new Alarms(counts);
    this.#clock = new LookedClock(clock?.at ?? now, clock?.looked);
    this.#grants = new Grants(granted);
    const { entryBytes, entryLife, entryLifeAtLeast, formerBytes, formerLife, claimCheck } = this.limits;
    const former = pages.flatMap((page) => page.former ?? []);
    this.#seekers = new Seekers(
      new FormerClaims({ bytes: formerBytes, life: formerLife }, former),
      new KnownModels(models),
    );
    for (const claim of pages.flatMap(({ claims = [] }) => claims)) this.#seekers.open.put(claim);
    this.#tasks = new KeptTasks(
      { bytes: entryBytes, life: entryLife, lifeAtLeast: entryLifeAtLeast },
      pages.flatMap(({ tasks = [] }) => tasks),
    );
    for (const task of this.#tasks.values()) if (this.#seekers.want(task)) this.#lookAt(task, now);
    this.#claimCheckAt = this.#clock.looked + claimCheck;
    this.look(now);
  }

  /** The tasks that nobody is known to hold: not those that were granted. */
  get unheld(): string[] {
    return [...this.#tasks.values()].flatMap(({ taskId, grantedTo }) =>
      grantedTo === undefined ? taskId : [],
    );
  }

  get taskCount(): number {
    return this.unheld.length;
  }

  /** The tasks that nobody is known to hold and that may be of such a submit. */
  unheldLike({ shape, ...sent }: SubmitShape): string[] {
    const search = { ...sent, claimId: '', firstRunId: '' };
    return [...this.#tasks.values()].flatMap((task) =>
      task.grantedTo === undefined && fits(task, search, shape) ? task.taskId : [],
    );
  }

  get claims(): KeptClaim[] {
    return [...this.#seekers.open.values()];
  }

  get formerCount(): number {
    return this.#seekers.former.size;
  }

  get isEmpty(): boolean {
    const { open, former } = this.#seekers;
    return this.#tasks.size === 0 && open.size === 0 && former.size === 0;
  }

  /** Now, in looked time. */
  get looked(): number {
    return this.#clock.looked;
  }

  /** What continue-as-new carries over: the arguments of the next run, none of them larger than a page. */
  carryOver(now: number): [UnclaimedTasksState, ...UnclaimedTasksPage[]] {
    this.look(now);
    return [
      {
        ...this.#carried,
        granted: this.#grants.kept,
        models: this.#seekers.models.all,
        clock: { looked: this.#clock.looked, at: now },
        counts: this.alarms.counts,
      },
      ...pagesOf(this.#tasks.packed(), PAGE_BYTES).map((tasks) => ({ tasks })),
      ...pagesOf(this.claims, PAGE_BYTES).map((claims) => ({ claims })),
      ...pagesOf([...this.#seekers.former.values()], PAGE_BYTES).map((former) => ({ former })),
    ];
  }

  /** To be called whenever something comes or is done: what passed since the last time was looked at. */
  look(now: number): void {
    // Whatever is waited for could not come while nobody was there.
    if (this.#clock.look(now)) this.#delayAll();
    for (const taskId of this.#tasks.dropExpired(this.#clock.looked)) this.#looks.forget(taskId);
    this.#seekers.former.dropExpired(this.#clock.looked);
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
    this.alarms.counts.evicted += early;
    const entry = this.#tasks.get(notice.taskId);
    if (entry === undefined || !this.#seekers.want(entry)) return;
    if (!this.#looks.has(entry.taskId)) this.#begin(entry);
    this.#lookAt(entry, now);
  }

  /**
   * A claim, or one that is repeated: by the same run while it asks a person, by its Reset's run, which takes its
   * place and looks for the task of the same submit.
   */
  addClaim({ shape, ...claim }: ReadClaim, now: number): void {
    this.look(now);
    const { claimId, runId, since, wait } = claim;
    if (this.#grants.of(claimId) !== undefined) return;
    const { open, former, models } = this.#seekers;
    models.learn(claim.model, shape);
    const other = open.ofPurchase(claim);
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
      ...(earlier?.claimId === claimId && earlier.toldNothing ? { toldNothing: true } : {}),
    };
    if (!this.#makeRoom(kept, other)) {
      this.alarms.counts.refused += 1;
      return;
    }
    if (other !== undefined) open.delete(other.claimId);
    former.delete(claimId);
    open.put(kept);
    for (const task of this.#tasks.values()) if (this.#seekers.fits(task, kept)) this.#lookAt(task, now);
  }

  /** Events are late: whoever looks for a task now has its whole wait before it again. */
  delay(now: number): void {
    this.look(now);
    this.#delayAll();
  }

  withdraw({ claimId, as }: Withdrawal, now: number): WithdrawalEnd {
    this.look(now);
    return this.#end(claimId, as, now);
  }

  /** What may still come for a claim, be it open or given up; null: nothing. */
  lookingFor(claimId: string, now: number): Looking | null {
    const untold = this.#untold.get(claimId);
    if (untold !== undefined) return lookedAtSoon(`task ${untold} is the one: its run is being told`);
    const { open, former } = this.#seekers;
    const { looked } = this.#clock;
    const claim = open.get(claimId);
    if (claim !== undefined) return whyNotYet(claim, 'look', this.#tasksFor(claim), looked, now) ?? null;
    const gone = former.get(claimId);
    if (gone === undefined) return null;
    return openLook(this.#lookedAt((task) => this.#seekers.proves(task, gone)), looked, now) ?? null;
  }

  /** The claims that a look has begun for since they were told that there is nothing: each is named once. */
  takeBegun(): KeptClaim[] {
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }

  /** The tasks that are to be looked at now; undefined: none. Those that nobody wants any more are left alone. */
  nextBatch(now: number): Batch | undefined {
    const tasks = this.#looks.take(now, (taskId) => {
      const task = this.#tasks.get(taskId);
      if (task === undefined || !this.#seekers.want(task)) return 'forget';
      const left = this.#seekers.untilTaken(task, this.#clock.looked);
      // One that is no more than somebody's last resort may be held: that is seen at once.
      return left === undefined || task.endedWithoutResult !== true ? task : { later: now + left };
    });
    if (tasks.length === 0) return undefined;
    const claimants = tasks.flatMap((task) =>
      this.#seekers.claimants(task).flatMap(({ runId, firstRunId }) => [runId, firstRunId]),
    );
    return { tasks, claimants: [...new Set(claimants)] };
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
      const ownership = this.#settled(task, found[taskId] ?? NOT_LOOKED_AT);
      if (ownership.kind === 'held') {
        // What an answer has told of is the body as it was sent: it does not show what the API adds.
        if (ownership.model !== undefined && task.owner === undefined)
          this.#seekers.models.see(ownership.model, task.fields);
        this.#forget(taskId);
      } else if (ownership.kind !== 'free') this.#looks.wait(task, ownership, now, this.#clock.looked);
      else {
        const end = this.#give(this.#learn(task, ownership), ownership, now);
        if (end !== undefined && 'former' in end) proofs.push(end);
        else if (end !== undefined) grants.push(end);
      }
    }
    return { grants, proofs };
  }

  /** A grant whose claimant could not be told: it is as if it had not been, unless the claimant knows by now. */
  revoke({ claim, task }: Granted, now: number): void {
    if (!this.#grants.revoke(claim.claimId)) return;
    this.#tasks.restore(task);
    this.#looks.want(task.taskId, now + AFTER_REVOKING);
    const { open } = this.#seekers;
    if (open.ofPurchase(claim) === undefined) open.put(claim);
  }

  /** A proof was told. Where its run has taken it, the task is as if its claim had been granted it. */
  told({ former, claimId, taskId }: Proof, isTaken: boolean): void {
    this.#untold.delete(claimId);
    if (isTaken) this.#assign(taskId, former);
  }

  /** The claims whose runs are to be looked up, where it is time for it. */
  claimsToCheck(now: number): KeptClaim[] {
    this.look(now);
    if (this.#seekers.open.size === 0 || this.#clock.looked < this.#claimCheckAt) return [];
    this.#claimCheckAt = this.#clock.looked + this.limits.claimCheck;
    return this.claims;
  }

  /** A claim's run has closed, and there is no other of the same purchase; or there is: a Reset's. */
  checked(claimId: string, run: { runId: string } | 'closed', now: number): void {
    this.look(now);
    const claim = this.#seekers.open.get(claimId);
    if (claim === undefined) return;
    if (run === 'closed') this.#leave(claim, now, 'closed');
    else if (run.runId !== claim.runId) this.#seekers.open.put({ ...claim, runId: run.runId });
  }

  /** When there is something to do, at the latest. */
  nextDue(now: number): number {
    const { looked } = this.#clock;
    const { open, former } = this.#seekers;
    const sweep = Math.min(SWEEP, this.limits.entryLife / 4);
    const expiries = [this.#tasks.firstExpiry, former.firstExpiry].filter((at) => at !== undefined);
    let wait = Math.min(IDLE, ...expiries.map((at) => Math.max(sweep, at - looked)));
    if (open.size > 0) wait = Math.min(wait, this.#claimCheckAt - looked);
    for (const claim of open.values())
      if (looked < claim.looksFrom + claim.wait) {
        wait = Math.min(wait, TICK);
        break;
      }
    return Math.min(now + wait, this.#looks.firstDue);
  }

  /** As soon as visibility shows who submitted before it was made: its owner is known, or may be any of those. */
  #lookAt({ taskId, owner, arrivedAt }: Entry, now: number): void {
    const lag = owner === undefined ? this.limits.visibilityLag : 0;
    this.#looks.want(taskId, now + Math.min(lag, Math.max(0, arrivedAt + lag - now)));
  }

  /** Runs that were told that there is nothing are told of a task that may be theirs. */
  #begin(task: Entry): void {
    for (const { toldNothing, ...claim } of this.#seekers.of(task)) {
      if (!toldNothing) continue;
      this.#seekers.open.put(claim);
      this.#begun.push(claim);
    }
  }

  #delayAll(): void {
    const { looked } = this.#clock;
    for (const claim of this.claims)
      if (looked < claim.looksUntilAtMost)
        this.#seekers.open.put({ ...claim, looksFrom: looked, delayed: true });
  }

  #end(claimId: string, as: WithdrawalKind, now: number): WithdrawalEnd {
    const taskId = this.#grants.tell(claimId);
    if (taskId !== undefined) return { kind: 'granted', taskId };
    const { open, former } = this.#seekers;
    const claim = open.get(claimId);
    const isToEnd = as === 'settled' || as === 'abandon';
    if (claim === undefined) {
      const gone = former.get(claimId);
      if (as === 'settled') former.delete(claimId);
      // Whoever asks for a run that has closed goes on for it, and has its whole wait before it.
      const isGivenUp = gone !== undefined && (isToEnd || gone.closed === undefined);
      return { kind: isGivenUp ? 'gone' : 'not there' };
    }
    if (isToEnd) {
      this.#leave(claim, now, as === 'settled' ? 'settled' : 'given up');
      return { kind: 'gone' };
    }
    const fitting = this.#tasksFor(claim);
    const reason = whyNotYet(claim, as, fitting, this.#clock.looked, now);
    if (reason !== undefined) return reason;
    // However late the claim has been looked at: nothing better will come for it.
    const ended = fitting.find(([task]) => task.endedWithoutResult === true)?.[0].taskId;
    if (ended !== undefined) {
      this.#grant(ended, claim, now);
      this.#grants.tell(claimId);
      return { kind: 'granted', taskId: ended };
    }
    if (as === 'look') {
      open.put({ ...claim, toldNothing: true });
      return { kind: 'nothing' };
    }
    this.#leave(claim, now, 'given up');
    return { kind: 'gone' };
  }

  /** The tasks that may be a claim's, with what is known of them. */
  #tasksFor(claim: KeptClaim): [Entry, Look][] {
    return this.#lookedAt((task) => this.#seekers.fits(task, claim));
  }

  #lookedAt(isMeant: (task: Entry) => boolean): [Entry, Look][] {
    return [...this.#looks.entries()].flatMap(([taskId, look]): [Entry, Look][] => {
      const task = this.#tasks.get(taskId);
      return task !== undefined && isMeant(task) ? [[task, look]] : [];
    });
  }

  #leave(claim: KeptClaim, now: number, why: 'settled' | 'given up' | 'closed'): void {
    this.#seekers.open.delete(claim.claimId);
    if (why !== 'settled') this.#seekers.former.add(claim, this.#clock.looked, why === 'closed');
    // What nobody could choose between may be clear now.
    this.#looks.hasten('alike', now);
  }

  /** Many submits in flight were not looked at: after the longest that one can take none of them can own the task. */
  #settled(task: Entry, ownership: Ownership): Ownership {
    if (ownership.kind !== 'in flight') return ownership;
    if (task.owner !== undefined) return { kind: 'free' };
    const { looked } = this.#clock;
    const patience = this.#seekers.patience(task) ?? Number.POSITIVE_INFINITY;
    const blockedFor = looked - (this.#looks.blockedSince(task.taskId) ?? looked);
    return ownership.unverified && blockedFor >= patience ? { kind: 'free' } : ownership;
  }

  /** Writes down what a task's record has told. */
  #learn(task: Entry, { fields, family, endedWithoutResult }: FreeTask): Entry {
    const facts = {
      ...(fields === undefined ? {} : { fields }),
      ...(family === undefined ? {} : { family }),
      ...(endedWithoutResult ? { endedWithoutResult } : {}),
    };
    this.#tasks.learn(task.taskId, facts);
    return { ...task, ...facts };
  }

  /** A task that nobody holds: somebody's, or the proof that somebody has given it up; or neither, for now. */
  #give(task: Entry, { outcome, usage }: FreeTask, now: number): Granted | Proof | undefined {
    const { taskId } = task;
    const { looked } = this.#clock;
    const choice = this.#seekers.choose(task, looked);
    if (choice.kind === 'one') {
      const isCertain = task.owner !== undefined && task.grantedTo === undefined;
      if (isCertain && usage !== undefined) this.#seekers.models.see(choice.search.model, task.fields);
      this.#grant(taskId, choice.search, now);
      return { claim: choice.search, task };
    }
    const left = this.#seekers.untilTaken(task, looked);
    if (choice.kind === 'alike') this.#looks.wait(task, choice, now, looked);
    else if (left !== undefined) this.#looks.again(taskId, now + left);
    else return this.#prove(task, outcome, usage);
    return undefined;
  }

  #prove(task: Entry, outcome: FreeTask['outcome'], usage: FreeTask['usage']): Proof | undefined {
    const { taskId } = task;
    const former = this.#seekers.formerOf(task);
    this.#looks.forget(taskId);
    if (former === undefined || usage === undefined) return undefined;
    this.#seekers.former.delete(former.claimId);
    this.#untold.set(former.claimId, taskId);
    // Its run may have closed: then whoever goes on for it may still get the task.
    this.#tasks.learn(taskId, { told: true });
    const { claimId } = former;
    return { former, claimId, taskId, usage, ...(outcome === undefined ? {} : { outcome }) };
  }

  #grant(taskId: string, claim: KeptClaim, now: number): void {
    this.#assign(taskId, claim);
    this.#seekers.open.delete(claim.claimId);
    this.#looks.hasten('alike', now);
  }

  /** The task stays: the run may close without it, and the next one of its workflow id look for it. */
  #assign(taskId: string, claim: Pick<KeptClaim, 'claimId' | 'workflowId' | 'firstRunId'>): void {
    const { claimId, workflowId, firstRunId } = claim;
    this.#tasks.learn(taskId, { owner: workflowId, grantedTo: firstRunId });
    this.#looks.forget(taskId);
    this.#grants.add({ claimId, taskId });
  }

  #forget(taskId: string): void {
    this.#tasks.drop(taskId);
    this.#looks.forget(taskId);
  }

  /** Where there is none, the claims of those who ask a person go first: they come again. */
  #makeRoom(claim: KeptClaim, replaced: KeptClaim | undefined): boolean {
    const { open } = this.#seekers;
    const size = byteSize(claim) - (replaced === undefined ? 0 : byteSize(replaced));
    const hasRoom = (): boolean => open.bytes + size <= this.limits.claimBytes;
    for (const { claimId, looksFrom, wait } of hasRoom() ? [] : this.claims) {
      if (this.#clock.looked < looksFrom + wait || claimId === replaced?.claimId) continue;
      open.delete(claimId);
      if (hasRoom()) break;
    }
    return hasRoom();
  }
}
