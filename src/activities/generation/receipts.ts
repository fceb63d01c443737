import type { Client } from '@temporalio/client';
import type { CreatedTask } from '../../contract/unclaimed-tasks.ts';
import { taskKey, type WorkspaceTask } from '../../contract/workspace-task.ts';
import { readHistory } from '../../temporal/history.ts';
import type { WarningLog } from '../warning-log.ts';
import { readPurchases } from './purchases.ts';

/** A task that a submit of this process has bought, as far as its workflow has to know it. */
export interface Receipt extends WorkspaceTask {
  workflowId: string;
  runId: string;
  activityId: string;
  /** The body as it was sent. */
  body: Record<string, unknown>;
  /** When the answer came, in milliseconds since the epoch. */
  at: number;
}

export interface ReceiptsDeps {
  temporal: Client;
  /** One visibility query: the workflow ids of those tasks that have one, by their keys. */
  find: (tasks: readonly WorkspaceTask[]) => Promise<ReadonlyMap<string, string>>;
  /** Tells `unclaimed-tasks/<workspace>` of a task that only its owner may claim. */
  handOver: (workspace: string, task: CreatedTask, owner: string) => Promise<void>;
  log: WarningLog;
}

/** Milliseconds. */
export interface ReceiptsTimes {
  /** From the answer to the first look: by then the workflow's search attribute shows the task. */
  after: number;
  /** Between two looks, while there is something to look at. */
  every: number;
  /** After this long a receipt is dropped, whatever became of it. */
  life: number;
}

const TIMES: ReceiptsTimes = { after: 20_000, every: 5_000, life: 60 * 60_000 };
const MAX_RECEIPTS = 10_000;
/** Task ids in one visibility query. */
const BATCH = 200;

/**
 * Makes sure that the answer to a submit has reached its workflow. An activity's completion gets lost when Temporal
 * is away for long (the SDK gives up after 9 tries), when the server has given up the activity by its heartbeat, or
 * when the run was Reset meanwhile; and the activity is not told. So each answer that no workflow of this process has
 * told of is looked up a little later: one visibility query for up to 200 of them, and only where it shows nothing the run's history. What did not arrive goes
 * to `unclaimed-tasks/<workspace>`, for its own workflow alone: no webhook is needed for that.
 */
export class Receipts {
  readonly #deps: ReceiptsDeps;
  readonly #times: ReceiptsTimes;
  /** By their tasks' keys. */
  readonly #open = new Map<string, Receipt>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: ReceiptsDeps, times: Partial<ReceiptsTimes> = {}) {
    this.#deps = deps;
    this.#times = { ...TIMES, ...times };
  }

  add(receipt: Receipt): void {
    this.#open.set(taskKey(receipt), receipt);
    for (const key of this.#open.keys()) {
      if (this.#open.size <= MAX_RECEIPTS) break;
      this.#open.delete(key);
    }
    this.#plan();
  }

  /** A workflow of this process has the task from its history: nothing is to be looked up. */
  arrived(task: WorkspaceTask): void {
    this.#open.delete(taskKey(task));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #plan(): void {
    if (this.#isStopped || this.#timer !== undefined || this.#open.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#lookAndPlan();
    }, this.#times.every);
    this.#timer.unref();
  }

  async #lookAndPlan(): Promise<void> {
    await this.#look();
    this.#timer = undefined;
    this.#plan();
  }

  /** Never throws: what could not be looked up now is looked up the next time. */
  async #look(): Promise<void> {
    const now = Date.now();
    const due = [...this.#open.values()].filter(({ at }) => now - at >= this.#times.after);
    try {
      for (let from = 0; from < due.length; from += BATCH) {
        const batch = due.slice(from, from + BATCH);
        const found = await this.#deps.find(batch);
        for (const receipt of batch) {
          const isOld = now - receipt.at >= this.#times.life;
          if (isOld || found.has(taskKey(receipt)) || (await this.#isSettled(receipt)))
            this.#open.delete(taskKey(receipt));
        }
      }
    } catch (error) {
      this.#deps.log.warn({ err: error, open: this.#open.size }, 'accepted submits cannot be looked up now');
    }
  }

  /** True where the run has the answer after all, or has got it handed over now. */
  async #isSettled({
    taskId,
    workspace,
    workflowId,
    runId,
    activityId,
    body,
    at,
  }: Receipt): Promise<boolean> {
    const { temporal, handOver, log } = this.#deps;
    const events = (await readHistory(temporal, workflowId, runId)) ?? [];
    if (readPurchases(events).taskIds.includes(taskId)) return true;
    const { raw, closeTime } = await temporal.workflow.getHandle(workflowId, runId).describe();
    const isPending = raw.pendingActivities?.some((activity) => activity.activityId === activityId);
    if (isPending === true && closeTime === undefined) return false;
    const task: CreatedTask = { taskId, webhookId: '', input: body, createdAt: null, receivedAt: at };
    await handOver(workspace, task, workflowId);
    log.warn({ taskId, workflowId }, 'the answer to a submit did not reach its workflow; it was handed over');
    return true;
  }
}
