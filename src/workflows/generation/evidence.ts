import { fieldDigests } from '../../api/input/field-digests.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import type { HeldTaskReport } from '../../contract/tasks/task-look.ts';
import { type Patience, triedAgain, triedFor } from '../../policy/patience.ts';
import type { Steps } from './generation.ts';
import { readTask } from './read-task.ts';

/** Before a task whose record cannot be read is asked about again, in milliseconds: more and more. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 5 * 60_000;

/** A task that may be the one, of which its record has not told yet. */
interface Candidate {
  /** When it is asked about next (ms since the epoch). */
  nextAt: number;
  pause: number;
  /** How long the API has been answering that there is none. */
  missing?: Patience;
  /** Why its record tells nothing. */
  reason: string;
}

/**
 * What this run itself has heard of the task that a lost submit may have bought: a task that was granted before a
 * Reset, and one whose end was told to this workflow. It is of use if it is of the same input, and completed or
 * running: one that has failed is not what the submit has bought, or is bought again anyway. While its record cannot
 * be read, nobody can tell.
 */
export class Evidence {
  readonly #steps: Omit<Steps, 'evidence'>;
  readonly #useless = new Set<string>();
  readonly #open = new Map<string, Candidate>();

  constructor(steps: Omit<Steps, 'evidence'>) {
    this.#steps = steps;
  }

  /** Whether there is a task to ask about now. */
  get isDue(): boolean {
    return this.#candidates().some((taskId) => this.#nextAt(taskId) <= Date.now());
  }

  /** When the next one is to be asked about, in milliseconds since the epoch; Infinity: there is none. */
  get nextAt(): number {
    return Math.min(...this.#candidates().map((taskId) => this.#nextAt(taskId)));
  }

  /** Why this run must not give up yet; undefined: nothing that it has heard of may be its task. */
  get doubt(): string | undefined {
    const [taskId] = this.#candidates();
    if (taskId === undefined) return undefined;
    const reason = this.#open.get(taskId)?.reason ?? 'it was not asked about yet';
    return `task ${taskId} may be this one, but its record tells nothing: ${reason}`;
  }

  /** Asks about those that are due. @returns the first that is of use */
  async look(): Promise<string | undefined> {
    for (const taskId of this.#candidates()) {
      if (this.#nextAt(taskId) <= Date.now() && (await this.#isOfUse(taskId))) return taskId;
    }
    return undefined;
  }

  /**
   * The receiver finds this workflow by the tasks whose ends it tells of: so some process has had the answer to a
   * submit of it, although this run may never have got it. A task that was proven for a submit that was given up may be
   * of the next one: it came before that one's claim. Whichever it is of, it is bought for this run.
   */
  #candidates(): string[] {
    const { run, inbox } = this.#steps;
    const heard = new Set([...inbox.grants.values(), ...inbox.endedTasks, ...run.proven.keys()]);
    return run.unheld(heard).filter((taskId) => !this.#useless.has(taskId));
  }

  #nextAt(taskId: string): number {
    return this.#open.get(taskId)?.nextAt ?? 0;
  }

  async #isOfUse(taskId: string): Promise<boolean> {
    const { run, plan } = this.#steps;
    const { workspace, request } = run;
    let report: HeldTaskReport | undefined;
    for (const input of plan.inputs) {
      const sent = { model: request.model, fields: fieldDigests(input) };
      report = await readTask({ taskId, workspace, sent });
      if (report.kind !== 'record') break;
      if (report.isAsSent === true && !endedInVain(report.status)) return true;
    }
    if (report === undefined || report.kind === 'record') {
      this.#ruleOut(taskId);
      return false;
    }
    const before = this.#open.get(taskId);
    const pause = before === undefined ? FIRST_PAUSE : Math.min(1.5 * before.pause, LONGEST_PAUSE);
    const candidate = { nextAt: Date.now() + pause, pause };
    if (report.kind === 'unavailable') {
      this.#open.set(taskId, { ...candidate, reason: report.reason });
      return false;
    }
    const missing = triedAgain(before?.missing, Date.now(), before?.pause ?? 0);
    if (triedFor(missing) >= plan.policy.vanished.wait) this.#ruleOut(taskId);
    else this.#open.set(taskId, { ...candidate, missing, reason: 'the API does not know it' });
    return false;
  }

  #ruleOut(taskId: string): void {
    this.#useless.add(taskId);
    this.#open.delete(taskId);
  }
}
