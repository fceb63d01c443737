import { type FieldDigests, fieldDigests } from '../../../src/api/input/field-digests.ts';
import { canComeFrom } from '../../../src/api/input/same-input.ts';
import type { ModelShape, WithdrawalKind } from '../../../src/contract/entities/claims.ts';
import type { Ownership } from '../../../src/contract/entities/task-notices.ts';
import type { UnclaimedTasksLimits } from '../../../src/contract/entities/unclaimed-tasks.ts';
import { API_CLOCK_TOLERANCE, CLOCK_TOLERANCE } from '../../../src/contract/limits.ts';
import { ClaimBook } from '../../../src/workflows/unclaimed-tasks/claim-book.ts';
import type { ReadClaim } from '../../../src/workflows/unclaimed-tasks/read-messages.ts';
import type { Granted } from '../../../src/workflows/unclaimed-tasks/surveys.ts';
import { Random } from '../../chaos/random.ts';
import { judge } from './awake.ts';

const MODELS: Readonly<Record<string, ModelShape>> = {
  'image-l': { family: 'image', takes: { names: ['prompt', 'n', 'ratio'], open: false } },
  'image-m': { family: 'image', takes: { names: ['prompt', 'n'], open: false } },
  'video-g': { family: 'video', takes: { names: ['prompt', 'n', 'seconds'], open: false } },
  'video-x': { family: 'video', takes: { names: ['prompt'], open: true } },
};
const MODEL_IDS = Object.keys(MODELS);

const SECOND = 1_000;
const WAIT = 30 * SECOND;
const PATIENCE = 10 * SECOND;
/** Small, so that everything happens in few steps. */
export const LIMITS: UnclaimedTasksLimits = {
  entryLife: 300 * SECOND,
  entryLifeAtLeast: 120 * SECOND,
  entryBytes: 3_000,
  claimBytes: 12_000,
  formerLife: 600 * SECOND,
  formerBytes: 4_000,
  visibilityLag: SECOND,
  claimCheck: 60 * SECOND,
  maxHistory: 1_000,
};
/** Of what continue-as-new carries over, beside the three lists. */
const REST_BYTES = 60_000;

/** A task as the world knows it. */
interface Task {
  taskId: string;
  fields: FieldDigests;
  family: ModelShape['family'];
  createdAt: number;
  /** Whether a workflow has made it searchable. */
  isHeld: boolean;
  ended: 'not' | 'completed' | 'failed';
}

/** A claim as its run knows it. */
interface Run {
  claim: ReadClaim;
  state: 'open' | 'gone' | 'granted';
}

/**
 * Drives a claim book by chance: generations that lose answers, foreign tasks, surveys that see or do not see, signals
 * that fail, outages, Resets, persons; and holds it against what is true of any of it. Throws where it is not.
 */
export class RandomClaims {
  readonly #random: Random;
  #book: ClaimBook;
  #now = 1_000_000;
  #awakeAt = this.#now;
  #count = 0;
  readonly #tasks = new Map<string, Task>();
  readonly #runs = new Map<string, Run>();
  /** Which task each claim has, as far as anybody was told. */
  readonly #granted = new Map<string, string>();
  /** The tasks that the book has heard of and must not forget: by id, until when in looked time. */
  readonly #evidence = new Map<string, { until: number; seen: boolean; blockedSince?: number }>();
  #looked = 0;
  readonly happened: Record<string, number> = {};

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#book = new ClaimBook({ workspace: 'default', limits: LIMITS }, [], this.#now);
  }

  step(): void {
    this.#passTime();
    this.#pick([
      [6, () => this.#submit()],
      [8, () => this.#hear()],
      [6, () => this.#hearForeign()],
      [16, () => this.#survey()],
      [8, () => this.#withdraw()],
      [3, () => this.#endTask()],
      [2, () => this.#reset()],
      [1, () => this.#delay()],
      [1, () => this.#renew()],
      [1, () => this.#closeRun()],
    ]);
    this.#checkBounds();
  }

  #pick(ways: readonly [weight: number, way: () => void][]): void {
    let left = this.#random.between(
      0,
      ways.reduce((sum, [weight]) => sum + weight, 0),
    );
    for (const [weight, way] of ways) {
      left -= weight;
      if (left < 0) return way();
    }
  }

  #count_(what: string): void {
    this.happened[what] = (this.happened[what] ?? 0) + 1;
  }

  #fail(what: string): never {
    throw new Error(`${what}, at ${this.#now}`);
  }

  /** Mostly in small pieces, with the workflow awake; now and then nobody is there for an hour. */
  #passTime(): void {
    const isAway = this.#random.next() < 0.003;
    const step = isAway ? 3_600 * SECOND : this.#random.between(0, 2 * SECOND);
    this.#now += Math.round(step);
    if (isAway) this.#count_('outage');
    else this.#looked += Math.round(step);
    this.#book.look(this.#now);
    this.#awakeAt = this.#now + 5 * SECOND;
    this.#book.plan(this.#awakeAt);
    for (const [taskId, { until }] of this.#evidence)
      if (until <= this.#looked) this.#evidence.delete(taskId);
  }

  #input(model: string): Record<string, unknown> {
    const input: Record<string, unknown> = { prompt: this.#random.pick(['fox', 'hare', 'owl']) };
    if (this.#random.next() < 0.4) input['n'] = 1 + Math.floor(this.#random.next() * 2);
    if (model === 'image-l' && this.#random.next() < 0.4) input['ratio'] = '1:1';
    if (model.startsWith('video') && this.#random.next() < 0.4) input['seconds'] = 5;
    return input;
  }

  /** Some submits lose their answers and claim; of those some have bought a task. */
  #submit(): void {
    const model = this.#random.pick(MODEL_IDS);
    const input = this.#input(model);
    this.#count += 1;
    const isLost = this.#random.next() < 0.6;
    if (!isLost || this.#random.next() < 0.7) this.#buy(model, input, !isLost);
    if (!isLost) return;
    const claimId = `run${this.#count}.0`;
    const claim: ReadClaim = {
      claimId,
      workflowId: `generation/${this.#count}`,
      firstRunId: `run${this.#count}`,
      runId: `run${this.#count}`,
      model,
      shape: MODELS[model],
      fields: fieldDigests(input),
      since: this.#now - 100,
      wait: WAIT,
      patience: PATIENCE,
      ...(this.#random.next() < 0.8 ? { clockOffset: 0 } : {}),
    };
    this.#runs.set(claimId, { claim, state: 'open' });
    this.#book.addClaim(claim, this.#now);
    this.#count_('claim');
  }

  #buy(model: string, input: Record<string, unknown>, isHeld: boolean): Task {
    const taskId = `task-${this.#count}-${this.#tasks.size}`;
    const family = MODELS[model]?.family ?? 'image';
    const fields = fieldDigests({ n: 1, ...input });
    const task: Task = { taskId, fields, family, createdAt: this.#now - 50, isHeld, ended: 'not' };
    this.#tasks.set(taskId, task);
    if (this.#tasks.size > 60) this.#tasks.delete(this.#tasks.keys().next().value ?? '');
    return task;
  }

  /** News of some task, on time or late, again or for the first time. */
  #hear(): void {
    const task = this.#anyOf(this.#tasks.values());
    if (task !== undefined) this.#tell(task);
  }

  #hearForeign(): void {
    this.#count += 1;
    const equal = this.#random.next() < 0.2;
    const input = equal ? this.#input('image-m') : { prompt: `foreign ${this.#count}`, n: 1 };
    this.#tell(this.#buy('image-m', input, false));
  }

  #tell({ taskId, fields, createdAt }: Task): void {
    const known = this.#random.next() < 0.7 ? createdAt : null;
    const evicted = this.#book.alarms.counts.evicted;
    this.#book.addTask({ taskId, arrivedAt: createdAt + 10, createdAt: known, fields }, this.#now);
    if ([...this.#granted.values()].includes(taskId)) return;
    this.#evidence.set(taskId, { until: this.#looked + LIMITS.entryLife, seen: false });
    // What is forgotten for lack of room is told of; after that nothing is promised of any of it.
    if (this.#book.alarms.counts.evicted > evicted) {
      this.#evidence.clear();
      this.#count_('evicted');
    }
  }

  #survey(): void {
    const batch = this.#book.nextBatch(this.#now);
    if (batch === undefined) return;
    this.#count_('survey');
    const found: Record<string, Ownership> = {};
    for (const { taskId } of batch.tasks) found[taskId] = this.#see(taskId);
    // Others speak while the survey is under way.
    if (this.#random.next() < 0.3) this.#withdraw();
    if (this.#random.next() < 0.2) this.#submit();
    const { grants } = judge(this.#book, found, batch, this.#now);
    for (const granted of grants) this.#grant(granted);
  }

  #see(taskId: string): Ownership {
    const task = this.#tasks.get(taskId);
    const luck = this.#random.next();
    const evidence = this.#evidence.get(taskId) ?? { until: 0, seen: false };
    if (luck < 0.2 && luck >= 0.1) {
      evidence.blockedSince ??= this.#looked;
      return { kind: 'in flight', ...(luck < 0.12 ? { unverified: true as const } : {}) };
    }
    delete evidence.blockedSince;
    if (luck < 0.1) return { kind: 'unreadable', reason: 'HTTP 503' };
    evidence.seen = true;
    if (task?.isHeld === true) {
      this.#evidence.delete(taskId);
      return { kind: 'held' };
    }
    const usage = { total: 8, subscription: 8, permanent: 0 };
    if (task === undefined || task.ended === 'not') return { kind: 'free', usage };
    if (task.ended === 'completed') return { kind: 'free', usage, family: task.family };
    return { kind: 'free', usage, family: task.family, endedWithoutResult: true };
  }

  #grant(granted: Granted): void {
    const { claimId } = granted.claim;
    const { taskId } = granted.task;
    const run = this.#runs.get(claimId);
    if (run === undefined) this.#fail(`${taskId} was granted to ${claimId}, which nobody has put in`);
    if (run.state !== 'open') this.#fail(`${taskId} was granted to ${claimId}, which was ${run.state}`);
    this.#take(run, taskId);
    if (this.#random.next() > 0.15) return;
    // Its signal fails; perhaps the run hears of it in the meantime.
    const isTold = this.#random.next() < 0.3;
    if (isTold) this.#ask(run, 'look');
    this.#book.revoke(granted, this.#now);
    this.#count_('revoked');
    if (isTold) return;
    this.#granted.delete(claimId);
    const isReplaced = [...this.#runs.values()].some(
      ({ claim, state }) => claim.firstRunId === run.claim.firstRunId && state === 'open',
    );
    run.state = isReplaced ? 'gone' : 'open';
  }

  #take(run: Run, taskId: string): void {
    const { claimId, fields, since, clockOffset, model } = run.claim;
    const task = this.#tasks.get(taskId);
    for (const [other, theirs] of this.#granted)
      if (theirs === taskId && other !== claimId)
        this.#fail(`${taskId} was granted to ${other} and ${claimId}`);
    if (task !== undefined) {
      const shape = MODELS[model];
      if (!canComeFrom(task.fields, fields, shape?.takes)) this.#fail(`${taskId} does not fit ${claimId}`);
      if (task.createdAt + 10 < since - API_CLOCK_TOLERANCE)
        this.#fail(`${taskId} is too old for ${claimId}`);
      if (clockOffset !== undefined && task.isHeld) this.#fail(`${taskId} was held when it was granted`);
    }
    run.state = 'granted';
    this.#granted.set(claimId, taskId);
    this.#evidence.delete(taskId);
    this.#count_('granted');
  }

  #withdraw(): void {
    const run = this.#anyOf([...this.#runs.values()].slice(-40));
    if (run === undefined) return;
    this.#ask(
      run,
      this.#random.pick(['look', 'give up', 'give up', 'buy again', 'abandon', 'settled'] as const),
    );
  }

  #ask(run: Run, as: WithdrawalKind): void {
    const { claimId } = run.claim;
    const wanted = this.#wanted(run);
    const end = this.#book.withdraw({ claimId, as }, this.#now);
    this.#count_(end.kind);
    if (end.kind === 'granted') {
      if (run.state === 'gone') this.#fail(`${claimId} was gone and is granted ${end.taskId}`);
      if (run.state === 'granted' && this.#granted.get(claimId) !== end.taskId)
        this.#fail(`${claimId} was granted two tasks`);
      if (run.state === 'open') this.#take(run, end.taskId);
      return;
    }
    if (run.state === 'granted') {
      // After hundreds of grants the book may have forgotten this one; the run has not.
      if (end.kind !== 'not there') this.#fail(`${claimId} was granted a task and is ${end.kind}`);
      return;
    }
    if (end.kind === 'gone') {
      const isForced = as === 'abandon' || as === 'settled';
      if (run.state === 'open' && !isForced && wanted !== undefined)
        this.#fail(`${claimId} was given up, though ${wanted} may be its`);
      run.state = 'gone';
    }
    if (end.kind === 'not there') run.state = 'gone';
  }

  /** A task that the book knows of, that may be this run's, and of which no survey has seen anything yet. */
  #wanted({ claim, state }: Run): string | undefined {
    if (state !== 'open') return undefined;
    for (const [taskId, { seen, blockedSince = this.#looked }] of this.#evidence) {
      const task = this.#tasks.get(taskId);
      if (task === undefined || seen || this.#looked - blockedSince >= PATIENCE) continue;
      if (task.createdAt < claim.since + CLOCK_TOLERANCE) continue;
      if (canComeFrom(task.fields, claim.fields, MODELS[claim.model]?.takes)) return taskId;
    }
    return undefined;
  }

  #endTask(): void {
    const task = this.#anyOf(this.#tasks.values());
    if (task?.ended === 'not') task.ended = this.#random.next() < 0.7 ? 'completed' : 'failed';
  }

  /** A Reset's run puts the claim of the same purchase in again, perhaps under another id. */
  #reset(): void {
    const run = this.#anyOf([...this.#runs.values()].slice(-20));
    if (run === undefined || run.state === 'granted') return;
    this.#count += 1;
    const runId = `reset${this.#count}`;
    const isSame = this.#random.next() < 0.5;
    const claimId = isSame ? run.claim.claimId : `${run.claim.firstRunId}.${this.#count}`;
    const claim = { ...run.claim, runId, claimId };
    // The server ends the run that is Reset, and every other one of that purchase.
    for (const other of this.#runs.values())
      if (other.claim.firstRunId === claim.firstRunId && other.state === 'open') other.state = 'gone';
    this.#runs.set(claimId, { claim, state: 'open' });
    this.#book.addClaim(claim, this.#now);
    this.#count_('reset');
  }

  #delay(): void {
    this.#book.delay(this.#now);
  }

  /** Continues as new: what is carried over goes through JSON. */
  #renew(): void {
    const [state, ...pages] = JSON.parse(JSON.stringify(this.#book.carryOver(this.#now))) as ReturnType<
      ClaimBook['carryOver']
    >; // as Temporal hands it over
    this.#book = new ClaimBook(state, pages, this.#now);
    this.#book.plan(this.#awakeAt);
    this.#count_('renewed');
  }

  #closeRun(): void {
    const run = this.#anyOf([...this.#runs.values()].slice(-20));
    if (run === undefined || run.state !== 'open') return;
    this.#book.checked(run.claim.claimId, 'closed', this.#now);
    run.state = 'gone';
  }

  #checkBounds(): void {
    if (this.#runs.size > 200) {
      for (const claimId of this.#runs.keys()) {
        if (this.#runs.size <= 150) break;
        const run = this.#runs.get(claimId);
        if (run?.state === 'open') this.#book.withdraw({ claimId, as: 'abandon' }, this.#now);
        this.#runs.delete(claimId);
        this.#granted.delete(claimId);
      }
    }
    if (this.#random.next() > 0.02) return;
    const pages = this.#book.carryOver(this.#now).map((page) => JSON.stringify(page).length);
    const most = LIMITS.entryBytes + LIMITS.claimBytes + LIMITS.formerBytes + REST_BYTES;
    if (pages.reduce((a, b) => a + b) > most) this.#fail(`${pages.join(' + ')} bytes are carried over`);
  }

  /** Everything is seen from now on: whoever has a task that only it can have gets it. */
  settle(): void {
    for (let round = 0; round < 200; round += 1) {
      this.#now += SECOND;
      this.#looked += SECOND;
      this.#book.look(this.#now);
      this.#book.plan(this.#now + 5 * SECOND);
      const batch = this.#book.nextBatch(this.#now);
      if (batch === undefined) continue;
      const found: Record<string, Ownership> = {};
      for (const { taskId } of batch.tasks) {
        const task = this.#tasks.get(taskId);
        found[taskId] = task?.isHeld
          ? { kind: 'held' }
          : { kind: 'free', ...(task && { family: task.family }) };
      }
      const { grants } = judge(this.#book, found, batch, this.#now);
      for (const { claim, task } of grants) {
        const run = this.#runs.get(claim.claimId);
        if (run === undefined || run.state !== 'open')
          this.#fail(`${claim.claimId} was granted ${task.taskId}`);
        this.#take(run, task.taskId);
      }
    }
    for (const claim of this.#book.claims) {
      const end = this.#book.withdraw({ claimId: claim.claimId, as: 'look' }, this.#now);
      if (end.kind !== 'looking' || !end.why.endsWith('alike')) continue;
      // What nobody can choose between is of different models of one family.
      const others = this.#book.claims.filter(({ model }) => model !== claim.model);
      if (others.length === 0) this.#fail(`${claim.claimId} waits for nobody`);
    }
  }

  #anyOf<T>(items: Iterable<T>): T | undefined {
    const list = [...items];
    return list.length === 0 ? undefined : this.#random.pick(list);
  }
}
