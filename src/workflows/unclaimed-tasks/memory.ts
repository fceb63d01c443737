import type {
  KeptClaim,
  UnclaimedTasksLimits,
  UnclaimedTasksPage,
  UnclaimedTasksState,
} from '../../contract/entities/unclaimed-tasks.ts';
import { LookedClock } from '../../policy/looked-clock.ts';
import { Alarms } from './alarms.ts';
import { FormerClaims } from './former-claims.ts';
import { Grants } from './grants.ts';
import { type Entry, KeptTasks } from './kept-tasks.ts';
import { KnownModels } from './known-models.ts';
import { LIMITS, PAGE_BYTES } from './limits.ts';
import { Looks } from './looks.ts';
import { pagesOf } from './pages-of.ts';
import { Seekers } from './seekers.ts';

/** What the parts of a claim book share: tasks, who looks for one, who was given which, and what is looked at. */
export class Memory {
  readonly limits: UnclaimedTasksLimits;
  readonly alarms: Alarms;
  readonly clock: LookedClock;
  readonly tasks: KeptTasks;
  readonly seekers: Seekers;
  readonly grants: Grants;
  /** The tasks that somebody may get. */
  readonly looks = new Looks();
  readonly #carried: Pick<UnclaimedTasksState, 'workspace' | 'limits'>;

  constructor(state: UnclaimedTasksState, pages: readonly UnclaimedTasksPage[], now: number) {
    const { workspace, limits, clock, counts, granted = [], models } = state;
    this.#carried = { workspace, ...(limits === undefined ? {} : { limits }) };
    this.limits = { ...LIMITS, ...limits };
    this.alarms = new Alarms(counts);
    this.clock = new LookedClock(clock?.at ?? now, clock?.looked);
    this.grants = new Grants(granted);
    const { entryBytes, entryLife, entryLifeAtLeast, formerBytes, formerLife } = this.limits;
    const former = pages.flatMap((page) => page.former ?? []);
    this.seekers = new Seekers(
      new FormerClaims({ bytes: formerBytes, life: formerLife }, former),
      new KnownModels(models),
    );
    for (const claim of pages.flatMap(({ claims = [] }) => claims)) this.seekers.open.put(claim);
    this.tasks = new KeptTasks(
      { bytes: entryBytes, life: entryLife, lifeAtLeast: entryLifeAtLeast },
      pages.flatMap(({ tasks = [] }) => tasks),
    );
    for (const task of this.tasks.values()) if (this.seekers.want(task)) this.lookAt(task, now);
  }

  get claims(): KeptClaim[] {
    return [...this.seekers.open.values()];
  }

  /** Now, in looked time. */
  get looked(): number {
    return this.clock.looked;
  }

  /** What continue-as-new carries over: the arguments of the next run, none of them larger than a page. */
  carryOver(now: number): [UnclaimedTasksState, ...UnclaimedTasksPage[]] {
    return [
      {
        ...this.#carried,
        granted: this.grants.kept,
        models: this.seekers.models.all,
        clock: { looked: this.looked, at: now },
        counts: this.alarms.counts,
      },
      ...pagesOf(this.tasks.packed(), PAGE_BYTES).map((tasks) => ({ tasks })),
      ...pagesOf(this.claims, PAGE_BYTES).map((claims) => ({ claims })),
      ...pagesOf([...this.seekers.former.values()], PAGE_BYTES).map((former) => ({ former })),
    ];
  }

  /** As soon as visibility shows who submitted before it was made: its owner is known, or may be any of those. */
  lookAt({ taskId, owner, arrivedAt }: Entry, now: number): void {
    const lag = owner === undefined ? this.limits.visibilityLag : 0;
    this.looks.want(taskId, now + Math.min(lag, Math.max(0, arrivedAt + lag - now)));
  }

  grant(taskId: string, claim: KeptClaim, now: number): void {
    this.assign(taskId, claim);
    this.seekers.open.delete(claim.claimId);
    this.looks.hasten('alike', now);
  }

  /** The task stays: the run may close without it, and the next one of its workflow id look for it. */
  assign(
    taskId: string,
    { claimId, workflowId, firstRunId }: Pick<KeptClaim, 'claimId' | 'workflowId' | 'firstRunId'>,
  ): void {
    this.tasks.learn(taskId, { owner: workflowId, grantedTo: firstRunId });
    this.looks.forget(taskId);
    this.grants.add({ claimId, taskId });
  }

  /** A claim ends without a task. */
  leave(claim: KeptClaim, now: number, why: 'settled' | 'given up' | 'closed'): void {
    this.seekers.open.delete(claim.claimId);
    if (why !== 'settled') this.seekers.former.add(claim, this.looked, why === 'closed');
    // What nobody could choose between may be clear now.
    this.looks.hasten('alike', now);
  }
}
