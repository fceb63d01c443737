import type { Client } from '@temporalio/client';
import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { TaskNotice } from '../../contract/entities/task-notices.ts';
import { taskKey, type WorkspaceTask } from '../../contract/tasks/workspace-task.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { readHistory } from '../../temporal/history.ts';
import type { DarkroomMetrics } from '../metrics.ts';
import type { WarningLog } from '../warning-log.ts';
import { readPurchases } from './purchases.ts';

/** A submit of this process that was accepted, as far as its workflow has to know of it. */
export interface AcceptedSubmit extends WorkspaceTask {
  workflowId: string;
  runId: string;
  activityId: string;
  /** Of the body as it was sent. */
  fields: FieldDigests;
  /** What it costs by the answer. */
  credits: number;
  /** When the answer came, in milliseconds since the epoch. */
  at: number;
}

export interface SubmitAuditDeps {
  temporal: Client;
  /** One visibility query: the workflow ids of those tasks that have one, by their keys. */
  find: (tasks: readonly WorkspaceTask[]) => Promise<ReadonlyMap<string, string>>;
  /** Tells `unclaimed-tasks/<workspace>` of a task that only its owner may claim. */
  handOver: (workspace: string, notice: TaskNotice) => Promise<void>;
  metrics: Pick<DarkroomMetrics, 'handedOver'>;
  log: WarningLog;
}

/** Milliseconds. */
export interface SubmitAuditTimes {
  /** From the answer to the first look: by then the workflow's search attribute shows the task. */
  after: number;
  /** Between two looks, while there is something to look at. */
  every: number;
  /** Longest between two looks at a submit that cannot be looked up. */
  longest: number;
  /** How long a last look may take when the process ends. */
  last: number;
}

const TIMES: SubmitAuditTimes = { after: 20_000, every: 5_000, longest: 10 * 60_000, last: 5_000 };
/** Task ids in one visibility query. */
const BATCH = 200;

interface Open {
  submit: AcceptedSubmit;
  /** When it is looked at next (ms since the epoch). */
  nextAt: number;
  pause: number;
}

/**
 * The audit of accepted submits: makes sure that each answer has reached its workflow. An activity's completion gets
 * lost when Temporal is away for long (the SDK gives up after 9 tries), when the server has given up the activity by
 * its heartbeat, or when the run was Reset meanwhile; and the activity is not told. So each answer is looked up a
 * little later: one visibility query for up to 200 of them, and only where it shows nothing the run's history. What
 * did not arrive goes to `unclaimed-tasks/<workspace>`, for its own workflow alone: no webhook is needed for that.
 *
 * An answer is held until it was looked up, however long Temporal is away: a worker that cannot reach it gets no new
 * submits, so there are never more than were in flight when it went away, and those of the last seconds.
 */
export class SubmitAudit {
  readonly #deps: SubmitAuditDeps;
  readonly #times: SubmitAuditTimes;
  readonly #open = new Map<string, Open>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: SubmitAuditDeps, times: Partial<SubmitAuditTimes> = {}) {
    this.#deps = deps;
    this.#times = { ...TIMES, ...times };
  }

  add(submit: AcceptedSubmit): void {
    const { after, every } = this.#times;
    this.#open.set(submit.taskId, { submit, nextAt: submit.at + after, pause: every });
    this.#plan();
  }

  /** A workflow of this process has the answer: it need not be looked up. */
  arrived({ taskId }: WorkspaceTask): void {
    this.#open.delete(taskId);
  }

  /** Looks once more at all that are open: a process that ends takes them with it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    const last = this.#look([...this.#open.values()]);
    const late = new Promise<void>((resolve) => setTimeout(resolve, this.#times.last).unref());
    await Promise.race([last, late]);
    const { size } = this.#open;
    if (size > 0)
      this.#deps.log.warn({ open: size }, 'accepted submits could not be looked up before the end');
  }

  #plan(): void {
    if (this.#isStopped || this.#timer !== undefined || this.#open.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#lookAndPlan();
    }, this.#times.every);
    this.#timer.unref();
  }

  async #lookAndPlan(): Promise<void> {
    const now = Date.now();
    await this.#look([...this.#open.values()].filter(({ nextAt }) => nextAt <= now));
    this.#timer = undefined;
    this.#plan();
  }

  /** Never throws: what could not be looked up now is looked up later, and keeps nothing else from it. */
  async #look(due: readonly Open[]): Promise<void> {
    for (let from = 0; from < due.length; from += BATCH) {
      const batch = due.slice(from, from + BATCH);
      let found: ReadonlyMap<string, string>;
      try {
        found = await this.#deps.find(batch.map(({ submit }) => submit));
      } catch (error) {
        this.#tell(error, { open: this.#open.size });
        continue;
      }
      for (const open of batch) await this.#settle(open, found.has(taskKey(open.submit)));
    }
  }

  async #settle(open: Open, isFound: boolean): Promise<void> {
    const { taskId, workflowId } = open.submit;
    try {
      if (isFound || (await this.#isSettled(open.submit))) {
        this.#open.delete(taskId);
        return;
      }
    } catch (error) {
      this.#tell(error, { taskId, workflowId });
    }
    open.pause = Math.min(2 * open.pause, this.#times.longest);
    open.nextAt = Date.now() + open.pause;
  }

  #tell(error: unknown, about: object): void {
    this.#deps.log.warn({ err: error, ...about }, 'accepted submits cannot be looked up now');
  }

  /** True where the run has the answer after all, or has got it handed over now. */
  async #isSettled(submit: AcceptedSubmit): Promise<boolean> {
    const { taskId, workspace, workflowId, runId, activityId, fields, credits, at } = submit;
    const { temporal, handOver, metrics, log } = this.#deps;
    const events = await readHistory(temporal, workflowId, runId);
    if (events !== undefined && readPurchases(events).taskIds.includes(taskId)) return true;
    const run = await describeRun(temporal, workflowId, runId);
    const isPending = run?.raw.pendingActivities?.some((activity) => activity.activityId === activityId);
    if (isPending === true && run?.closeTime === undefined) return false;
    const task = { taskId, arrivedAt: at, createdAt: null, fields, owner: workflowId };
    // 0 is what is not known yet, too.
    await handOver(workspace, credits > 0 ? { ...task, credits } : task);
    metrics.handedOver();
    const what = 'the answer to a submit did not reach its workflow; it was handed over';
    log.warn({ taskId, workflowId, ...(run === undefined ? { runIsDeleted: runId } : {}) }, what);
    return true;
  }
}
