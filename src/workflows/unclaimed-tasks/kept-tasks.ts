import type { TaskNotice } from '../../contract/entities/task-notices.ts';
import type { KeptFacts, KeptTask } from '../../contract/entities/unclaimed-tasks.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { Evidence } from './matching.ts';

/** A task that is remembered. */
export interface Entry extends Evidence {
  /** In looked time. */
  addedAt: number;
  artifacts?: string[];
  credits?: number;
  /** It has failed or was canceled: perhaps some generation's that has bought another one since. */
  endedWithoutResult?: true;
  /** The workflow that had its name when it was asked for last: it comes first. */
  namedFor?: string;
  /** It was told as the proof of a submit that was given up: it proves no other, but whoever looks for it may get it. */
  told?: true;
}

/** How many bytes a list of entries may have, and what one of them has to have lived for. */
export interface Room {
  bytes: number;
  life: number;
  lifeAtLeast: number;
}

/**
 * The tasks that are remembered, oldest first, within a number of bytes. By time: each lives equally long. Only where
 * there is no more room the oldest goes early, and never one that is wanted while there are others.
 */
export class KeptTasks {
  readonly #entries = new Map<string, Entry>();
  readonly #room: Room;
  /** Those that the files are known of: they are forgotten first. */
  readonly #withArtifacts = new Set<string>();
  #bytes = 0;

  constructor(room: Room, kept: readonly KeptTask[]) {
    this.#room = room;
    for (const [taskId, arrivedAt, createdAt, addedAt, fields, more] of kept)
      this.#put({ taskId, arrivedAt, createdAt, addedAt, fields, ...more });
  }

  get size(): number {
    return this.#entries.size;
  }

  get(taskId: string): Entry | undefined {
    return this.#entries.get(taskId);
  }

  values(): Iterable<Entry> {
    return this.#entries.values();
  }

  /**
   * A task that is told of again is as new; what was known of it before stays known.
   *
   * @param wanted whether somebody looks for a task
   * @returns the tasks that had to go, and how many of them early: somebody wants them, or may want them soon
   */
  add(
    notice: TaskNotice,
    looked: number,
    wanted: (taskId: string) => boolean,
  ): { gone: string[]; early: number } {
    const { taskId, arrivedAt, createdAt, fields, owner, artifacts, credits } = notice;
    const known = this.#entries.get(taskId);
    this.drop(taskId);
    this.#put({
      ...(known ?? { taskId, fields }),
      arrivedAt: Math.min(arrivedAt, known?.arrivedAt ?? Number.POSITIVE_INFINITY),
      createdAt: latest(createdAt, known?.createdAt ?? null),
      ...(owner === undefined ? {} : { owner }),
      ...(artifacts === undefined ? {} : { artifacts }),
      ...(credits === undefined ? {} : { credits }),
      addedAt: looked,
    });
    const gone: string[] = [];
    let early = 0;
    // That there is a task weighs more than where its files are.
    if (this.#bytes > this.#room.bytes) this.#forgetArtifacts();
    while (this.#bytes > this.#room.bytes) {
      const entry = this.#oldestBut(wanted);
      if (entry === undefined) break;
      this.drop(entry.taskId);
      gone.push(entry.taskId);
      if (wanted(entry.taskId) || looked - entry.addedAt < this.#room.lifeAtLeast) early += 1;
    }
    return { gone, early };
  }

  #forgetArtifacts(): void {
    for (const taskId of this.#withArtifacts) {
      if (this.#bytes <= this.#room.bytes) return;
      const entry = this.#entries.get(taskId);
      if (entry === undefined) continue;
      const { artifacts: _, ...rest } = entry;
      this.#bytes -= jsonBytes(packed(entry));
      this.#put(rest); // it keeps its place
    }
  }

  #oldestBut(wanted: (taskId: string) => boolean): Entry | undefined {
    for (const entry of this.#entries.values()) if (!wanted(entry.taskId)) return entry;
    const [oldest] = this.#entries.values();
    return oldest;
  }

  /** Puts an entry back that was dropped. */
  restore(entry: Entry): void {
    this.drop(entry.taskId);
    this.#put(entry);
  }

  /** Writes down what has become known of a task. */
  learn(taskId: string, facts: Partial<Omit<Entry, 'taskId'>>): void {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return;
    this.#bytes -= jsonBytes(packed(entry));
    this.#put({ ...entry, ...facts });
  }

  drop(taskId: string): void {
    const entry = this.#entries.get(taskId);
    if (entry === undefined) return;
    this.#bytes -= jsonBytes(packed(entry));
    this.#entries.delete(taskId);
    this.#withArtifacts.delete(taskId);
  }

  /** When the oldest has lived its life, in looked time; undefined where there is none. */
  get firstExpiry(): number | undefined {
    const [oldest] = this.#entries.values();
    return oldest === undefined ? undefined : oldest.addedAt + this.#room.life;
  }

  /** @returns those that have lived their life; they are forgotten */
  dropExpired(looked: number): string[] {
    const expired: string[] = [];
    for (const { taskId, addedAt } of this.#entries.values()) {
      if (addedAt + this.#room.life > looked) break;
      expired.push(taskId);
    }
    for (const taskId of expired) this.drop(taskId);
    return expired;
  }

  packed(): KeptTask[] {
    return [...this.#entries.values()].map(packed);
  }

  #put(entry: Entry): void {
    this.#entries.set(entry.taskId, entry);
    this.#bytes += jsonBytes(packed(entry));
    if (entry.artifacts === undefined) this.#withArtifacts.delete(entry.taskId);
    else this.#withArtifacts.add(entry.taskId);
  }
}

/** One receiver may know that the clock of records is behind, and another one not yet. */
function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function packed(entry: Entry): KeptTask {
  const { taskId, arrivedAt, createdAt, addedAt, fields } = entry;
  const { owner, artifacts, credits, endedWithoutResult, namedFor, grantedTo, told } = entry;
  const task = [taskId, arrivedAt, createdAt, addedAt, fields] as const;
  const facts: KeptFacts = {
    ...(owner === undefined ? {} : { owner }),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(credits === undefined ? {} : { credits }),
    ...(endedWithoutResult ? { endedWithoutResult } : {}),
    ...(namedFor === undefined ? {} : { namedFor }),
    ...(grantedTo === undefined ? {} : { grantedTo }),
    ...(told ? { told } : {}),
  };
  return Object.keys(facts).length === 0 ? task : [...task, facts];
}
