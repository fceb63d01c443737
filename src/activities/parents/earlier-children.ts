import type { Client } from '@temporalio/client';
import { hasBoughtNothing } from '../../contract/purchases/bought-nothing.ts';
import type { ParentRun } from '../../contract/purchases/parent-run.ts';
import { readHistories } from '../../temporal/earlier-histories.ts';
import { predecessorOf, readStart } from '../../temporal/history.ts';
import { boughtByEarlierRuns, type Earlier } from './bought-by-earlier-runs.ts';
import { chainOf } from './chain-of.ts';
import { type ChildRecord, merged, readChildren } from './child-records.ts';

/** Parents that are remembered; what is kept of each is short. */
const REMEMBERED = 20;
/** Runs of which it is remembered whether they repeat another one. */
const REMEMBERED_RUNS = 1_000;
/** A chain of runs that go on for each other is followed back so far. */
const MAX_CONTINUED = 1_000;

/** Milliseconds that a server keeps what has ended, at least. */
const SHORTEST_RETENTION = 60 * 60_000;

/** What is kept of a child that an earlier run has started. */
export interface KnownChild {
  /** The output that an item of a fan-out was started for; null where it is none, or not known. */
  each: string | null;
}

interface Known {
  /** By their ids. */
  children: ReadonlyMap<string, KnownChild>;
  /** A run that the parent repeats and that the server no longer has. */
  missing: string | undefined;
}

/** The child of which a parent is asked. */
export interface AskedChild {
  workflowId: string;
  /** The run that asks: neither it nor one that it goes on for is an earlier one. */
  runId?: string;
  /** The parent knows of an earlier one: its own history may tell of it. */
  isNamed?: boolean;
  /** How much of what a run was started for is what the child is to buy. */
  likeness?: (record: ChildRecord) => Likeness | Promise<Likeness>;
}

export type Likeness = 'same' | 'in part' | 'different';

/** What a parent's histories tell of a child. */
export type ToldChild =
  | ChildRecord
  /** A run of the parent that may have started it is deleted. */
  | { missing: string };

/**
 * Children that the server has deleted, as the histories of their parent tell of them: a parent's history is there as
 * long as its run, and so for a while after the children that ended before it. That nothing is known of a child means
 * that it was never started only where no history is missing.
 */
export class EarlierChildren {
  readonly #client: Client;
  /** By the parent's run; earlier runs have closed, so they are read once. */
  readonly #known = new Map<string, Promise<Known>>();
  readonly #repeats = new Map<string, boolean>();
  /** Questions that are under way. */
  readonly #starts = new Map<string, Promise<Earlier>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * What the parent's histories tell of the latest run of a child that the server does not have: of the latest one that
   * was started for the same, else of the latest one that is of concern.
   *
   * @returns undefined where there is none
   */
  async told(
    parent: ParentRun,
    { workflowId, runId, isNamed = false, likeness = () => 'same' }: AskedChild,
    onRun?: () => void,
  ): Promise<ToldChild | undefined> {
    if (!isNamed && !(await this.#mayRepeat(parent))) return undefined;
    const { children, missing: gone } = await this.startedBy(parent, onRun);
    const isKnown = children.has(workflowId);
    if (!isKnown && gone === undefined && !isNamed) return undefined;
    const read = (events: Parameters<typeof readChildren>[0]) =>
      readChildren(events, parent.workflowId, workflowId);
    const { earlier, own, missing } = await readHistories(this.#client, parent, read, onRun);
    const records = merged([...earlier, own].flatMap((one) => one.records));
    const self = runId && (await chainOf(this.#client, workflowId, runId)).first;
    const others = records.filter((record) => self === undefined || record.runId !== self);
    const last = others.at(-1);
    // Its own start stands there as well, perhaps not yet with its run's id.
    const isOwn = runId !== undefined && last?.runId === undefined && last?.request !== undefined;
    if (isOwn && own.records.includes(last)) others.pop();
    if (others.length > 0) {
      const concern = others.filter((record) => !wasNeverStarted(record) && !hasNoPurchase(record));
      const alike = await Promise.all(concern.map(async (record) => await likeness(record)));
      return concern[alike.lastIndexOf('same')] ?? concern[alike.lastIndexOf('in part')];
    }
    if (missing === undefined) return isKnown ? { missing: parent.runId } : undefined;
    return own.surveyed === undefined || own.surveyed.has(workflowId) ? { missing } : undefined;
  }

  /** The children that earlier runs of the parent have started. */
  async startedBy(parent: ParentRun, onRun?: () => void): Promise<Known> {
    const { runId } = parent;
    const known = this.#known.get(runId);
    if (known !== undefined) return await known;
    const reading = this.#read(parent, onRun);
    this.#known.set(runId, reading);
    forgetOldest(this.#known, REMEMBERED);
    try {
      return await reading;
    } catch (error) {
      this.#known.delete(runId);
      throw error;
    }
  }

  async #read(parent: ParentRun, onRun?: () => void): Promise<Known> {
    const read = (events: Parameters<typeof readChildren>[0]) =>
      readChildren(events, parent.workflowId).records.flatMap((record) =>
        wasNeverStarted(record) ? [] : [[record.workflowId, short(record)] as const],
      );
    const { earlier, missing } = await readHistories(this.#client, parent, read, onRun);
    return { children: new Map(earlier.flat()), missing };
  }

  /**
   * Whether the parent's run repeats an earlier one: by a Reset or a retry, its own or of a run that it goes on for; or
   * because its id was started once more.
   */
  async #mayRepeat({ workflowId, runId, again }: ParentRun): Promise<boolean> {
    if (again === true) return true;
    const asked: string[] = [];
    let repeats = false;
    for (let at: string | undefined = runId; at !== undefined && asked.length < MAX_CONTINUED; ) {
      const known = this.#repeats.get(at);
      asked.push(at);
      if (known !== undefined) {
        repeats = known;
        break;
      }
      const start: Awaited<ReturnType<typeof readStart>> = await readStart(this.#client, workflowId, at);
      const before = predecessorOf(start);
      repeats = (start !== undefined && start.originalExecutionRunId !== at) || before?.why === 'retried';
      // The children of a run that goes on for another one have other names than those of another start.
      if (!repeats && before === undefined && at === runId && again === 'perhaps')
        repeats = await this.#isAnotherStart(workflowId, runId);
      at = repeats || before?.why !== 'continued' ? undefined : before.runId;
    }
    for (const one of asked) this.#repeats.set(one, repeats);
    forgetOldest(this.#repeats, REMEMBERED_RUNS);
    return repeats;
  }

  /** Asked once for all children that begin at the same time: visibility answers few queries a second. */
  async #isAnotherStart(workflowId: string, runId: string): Promise<boolean> {
    const asked = this.#starts.get(runId) ?? boughtByEarlierRuns(this.#client, workflowId, runId);
    this.#starts.set(runId, asked);
    try {
      return (await asked) !== 'none';
    } finally {
      this.#starts.delete(runId);
    }
  }
}

/** The parent ended while it started it, and nothing has been there since: what is that young is not deleted yet. */
function wasNeverStarted({ runId, request, startedAt }: ChildRecord): boolean {
  return runId === undefined && request !== undefined && Date.now() - startedAt < SHORTEST_RETENTION;
}

/** It has failed, and tells that it has bought nothing. */
function hasNoPurchase({ end }: ChildRecord): boolean {
  if (end === undefined || 'result' in end) return false;
  return hasBoughtNothing(end.failure.details);
}

function short({ origins }: ChildRecord): KnownChild {
  const each = Object.values(origins).find(({ reference }) => reference.kind === 'each');
  return { each: each?.outputs[0] ?? null };
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
  while (map.size > most) {
    const [oldest = ''] = map.keys();
    map.delete(oldest);
  }
}
