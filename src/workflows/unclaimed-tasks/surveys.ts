import type { SubmitProof } from '../../contract/entities/claims.ts';
import type { Ownership, TakenName, TaskName } from '../../contract/entities/task-notices.ts';
import type { FormerClaim, KeptClaim } from '../../contract/entities/unclaimed-tasks.ts';
import type { Entry } from './kept-tasks.ts';
import type { Memory } from './memory.ts';

/** Before a task is looked at again whose claimant could not be told. */
const AFTER_REVOKING = 1_000;
const NOT_LOOKED_AT: Ownership = { kind: 'unreadable', reason: 'it was not looked at' };

type FreeTask = Extract<Ownership, { kind: 'free' }>;

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

/** Which tasks are looked at, and what follows from what a look has found. */
export class Surveys {
  readonly #memory: Memory;
  /** The tasks of claims that were given up whose runs are being told, by claim. */
  readonly #untold = new Map<string, string>();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** The task that proves a claim's submit, while its run is being told. */
  untold(claimId: string): string | undefined {
    return this.#untold.get(claimId);
  }

  /** The tasks that are to be looked at now; undefined: none. Those that nobody wants any more are left alone. */
  next(now: number): Batch | undefined {
    const { looks, seekers, looked } = this.#memory;
    const tasks = looks.take(now, (taskId) => {
      const task = this.#memory.tasks.get(taskId);
      if (task === undefined || !seekers.want(task)) return 'forget';
      const left = seekers.untilTaken(task, looked);
      // One that is no more than somebody's last resort may be held: that is seen at once.
      return left === undefined || task.endedWithoutResult !== true ? task : { later: now + left };
    });
    if (tasks.length === 0) return undefined;
    const claimants = tasks.flatMap((task) =>
      seekers.claimants(task).flatMap(({ runId, firstRunId }) => [runId, firstRunId]),
    );
    return { tasks, claimants: [...new Set(claimants)] };
  }

  /**
   * The tasks that would be given away, and whose names are to be taken first for who would get it: one for each. Another
   * deployment may need the name of any further one.
   */
  toTake(found: Readonly<Record<string, Ownership>>, batch: Batch): TaskName[] {
    const served = new Set<string>();
    return batch.tasks.flatMap(({ taskId }) => {
      const task = this.#memory.tasks.get(taskId);
      if (task === undefined) return [];
      const ownership = this.#settled(task, found[taskId] ?? NOT_LOOKED_AT);
      if (ownership.kind !== 'free') return [];
      const receiver = this.#receiver(this.#learn(task, ownership), ownership, served);
      if (receiver === undefined) return [];
      const { claimId, workflowId, runId, firstRunId } = receiver;
      served.add(claimId);
      return { taskId, workflowId, runId, firstRunId };
    });
  }

  /**
   * What has come of taking names.
   *
   * @param asked for whom
   * @returns what is known now of the tasks whose names could not be taken
   */
  took(asked: readonly TaskName[], names: readonly TakenName[]): Record<string, Ownership> {
    const kept: Record<string, Ownership> = {};
    for (const name of names) {
      const { taskId } = name;
      if (name.kind === 'unreadable') {
        kept[taskId] = { kind: name.kind, reason: name.reason };
        continue;
      }
      const holder = name.kind === 'other' ? name : asked.find((one) => one.taskId === taskId);
      if (holder !== undefined) this.#memory.tasks.learn(taskId, { namedFor: holder.workflowId });
      if (name.kind === 'ours') continue;
      // What is worth nothing to the one that has it is not waited for.
      kept[taskId] = this.#memory.tasks.get(taskId)?.endedWithoutResult
        ? { kind: 'held' }
        : { kind: 'in flight', keptFor: name.workflowId };
    }
    return kept;
  }

  judge(
    found: Readonly<Record<string, Ownership>>,
    batch: Batch,
    now: number,
  ): { grants: Granted[]; proofs: Proof[] } {
    const { tasks, looks, seekers, looked } = this.#memory;
    const grants: Granted[] = [];
    const proofs: Proof[] = [];
    for (const { taskId } of batch.tasks) {
      const task = tasks.get(taskId);
      if (task === undefined) continue;
      const ownership = this.#settled(task, found[taskId] ?? NOT_LOOKED_AT);
      if (ownership.kind === 'held') {
        // What an answer has told of is the body as it was sent: it does not show what the API adds.
        if (ownership.model !== undefined && task.owner === undefined)
          seekers.models.see(ownership.model, task.fields);
        tasks.drop(taskId);
        looks.forget(taskId);
      } else if (ownership.kind !== 'free') looks.wait(task, ownership, now, looked);
      else {
        const known = this.#learn(task, ownership);
        const receiver = this.#receiver(known, ownership);
        if (receiver !== undefined && receiver.workflowId !== known.namedFor) {
          // Another one would have got it when the names were taken.
          looks.again(taskId, now);
          continue;
        }
        const end = this.#give(known, ownership, now);
        if (end !== undefined && 'former' in end) proofs.push(end);
        else if (end !== undefined) grants.push(end);
      }
    }
    return { grants, proofs };
  }

  revoke({ claim, task }: Granted, now: number): void {
    const { grants, tasks, looks, seekers } = this.#memory;
    if (!grants.revoke(claim.claimId)) return;
    tasks.restore(task);
    looks.want(task.taskId, now + AFTER_REVOKING);
    const other = seekers.open.of(claim.workflowId);
    if (other === undefined) seekers.open.put(claim);
    else if (other.firstRunId !== claim.firstRunId) this.#memory.leave(claim, now, 'closed');
  }

  told({ former, claimId, taskId }: Proof, isTaken: boolean): void {
    this.#untold.delete(claimId);
    if (isTaken) this.#memory.assign(taskId, former);
  }

  /** Many submits in flight were not looked at: after the longest that one can take none of them can own the task. */
  #settled(task: Entry, ownership: Ownership): Ownership {
    if (ownership.kind !== 'in flight' || ownership.keptFor !== undefined) return ownership;
    if (task.owner !== undefined) return { kind: 'free' };
    const { looked, looks, seekers } = this.#memory;
    const patience = seekers.patience(task) ?? Number.POSITIVE_INFINITY;
    const blockedFor = looked - (looks.blockedSince(task.taskId) ?? looked);
    return ownership.unverified && blockedFor >= patience ? { kind: 'free' } : ownership;
  }

  /** Writes down what a task's record has told. */
  #learn(task: Entry, { fields, family, endedWithoutResult }: FreeTask): Entry {
    const facts = {
      ...(fields === undefined ? {} : { fields }),
      ...(family === undefined ? {} : { family }),
      ...(endedWithoutResult ? { endedWithoutResult } : {}),
    };
    this.#memory.tasks.learn(task.taskId, facts);
    return { ...task, ...facts };
  }

  /** A task that nobody holds: somebody's, or the proof that somebody has given it up; or neither, for now. */
  #give(task: Entry, { outcome, usage }: FreeTask, now: number): Granted | Proof | undefined {
    const { taskId } = task;
    const { looked, looks, seekers } = this.#memory;
    const choice = seekers.choose(task, looked);
    if (choice.kind === 'one') {
      const isCertain = task.owner !== undefined && task.grantedTo === undefined;
      if (isCertain && usage !== undefined) seekers.models.see(choice.search.model, task.fields);
      this.#memory.grant(taskId, choice.search, now);
      return { claim: choice.search, task };
    }
    const left = seekers.untilTaken(task, looked);
    if (choice.kind === 'alike') looks.wait(task, choice, now, looked);
    else if (left !== undefined) looks.again(taskId, now + left);
    else return this.#prove(task, outcome, usage);
    return undefined;
  }

  /** The claim that would get it now, or has it as its proof. @param served claims that get another one */
  #receiver(
    task: Entry,
    { usage }: FreeTask,
    served?: ReadonlySet<string>,
  ): KeptClaim | FormerClaim | undefined {
    const { looked, seekers } = this.#memory;
    const choice = seekers.choose(task, looked, served);
    if (choice.kind === 'alike') return undefined;
    if (choice.kind === 'one') return choice.search;
    // While anybody looks for it, it proves nothing.
    if (seekers.of(task).length > 0 || usage === undefined) return undefined;
    return seekers.formerOf(task, served);
  }

  #prove(task: Entry, outcome: FreeTask['outcome'], usage: FreeTask['usage']): Proof | undefined {
    const { taskId } = task;
    const { looks, seekers, tasks } = this.#memory;
    const former = seekers.formerOf(task);
    looks.forget(taskId);
    if (former === undefined || usage === undefined) return undefined;
    seekers.former.delete(former.claimId);
    this.#untold.set(former.claimId, taskId);
    // Its run may have closed: then whoever goes on for it may still get the task.
    tasks.learn(taskId, { told: true });
    const { claimId } = former;
    return { former, claimId, taskId, usage, ...(outcome === undefined ? {} : { outcome }) };
  }
}
