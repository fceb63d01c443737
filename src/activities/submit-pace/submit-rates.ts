import { status } from '@grpc/grpc-js';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { SubmitRate } from '../../contract/activities.ts';
import { fairnessKey, RATE_PER_WEIGHT, submitQueue, weightOf } from '../../contract/tasks/submit-queue.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import type { WarningLog } from '../warning-log.ts';

const ACTIVITY = proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY;
/** What another try does not change. */
const FOR_GOOD: ReadonlySet<status> = new Set([
  status.INVALID_ARGUMENT,
  status.PERMISSION_DENIED,
  status.UNIMPLEMENTED,
]);
/** How long a server that cannot keep the pace is left alone (milliseconds). */
const UNABLE_FOR = 15 * 60_000;

const FIX =
  'the workers keep the pace of refused submits instead. Let the workers write to the namespace, and have the ' +
  'server fair: matching.enableFairness=true in its dynamic configuration (Temporal Cloud: enable fairness for ' +
  'the namespace)';

interface RateDeps {
  temporal: Client;
  taskQueue: string;
  log: WarningLog;
}

/** Sets the rate at which Temporal hands out a workspace's submits; one for each worker process. */
export class SubmitRates {
  readonly #deps: RateDeps;
  #unableUntil = 0;
  #reason = '';

  constructor(deps: RateDeps) {
    this.#deps = deps;
  }

  /** Why the server cannot slow a workspace down, where that has shown lately. */
  get unable(): string | undefined {
    return Date.now() < this.#unableUntil ? this.#reason : undefined;
  }

  /**
   * Takes effect at once (measured on server 1.31), for tasks that wait already too.
   *
   * @returns `unable` where the server does not let us, or cannot without delaying other workspaces
   * @throws what may be over soon
   */
  async apply({ workspace, rate, blocksOthers }: SubmitRate): Promise<{ kind: 'applied' | 'unable' }> {
    if (blocksOthers) this.#isUnable('submits of other workspaces got stuck behind a slowed one');
    if (rate !== null && Date.now() < this.#unableUntil) return { kind: 'unable' };
    const key = fairnessKey(workspace);
    try {
      await this.#configure(
        rate === null
          ? { unsetFairnessWeightOverrides: [key] }
          : {
              updateFairnessKeyRateLimitDefault: {
                rateLimit: { requestsPerSecond: RATE_PER_WEIGHT },
                reason: 'times the weight of a workspace: its submits a second',
              },
              setFairnessWeightOverrides: { [key]: weightOf(rate) },
            },
      );
      return { kind: 'applied' };
    } catch (error) {
      if (!isGrpcServiceError(error) || !FOR_GOOD.has(error.code)) throw error;
      this.#isUnable(error.details);
      return { kind: 'unable' };
    }
  }

  /**
   * Takes back the limits of workspaces that nobody keeps the pace of any more: an entity workflow that was
   * terminated leaves its limit behind. For the start of a worker; what fails is left for the next one.
   */
  async releaseAbandoned(workspaces: Iterable<string>): Promise<void> {
    const { temporal: client, taskQueue } = this.#deps;
    try {
      const { config } = await client.workflowService.describeTaskQueue({
        namespace: client.options.namespace,
        taskQueue: { name: submitQueue(taskQueue) },
        taskQueueType: ACTIVITY,
        reportConfig: true,
      });
      const slowed = config?.fairnessWeightOverrides ?? {};
      for (const workspace of workspaces) {
        if (slowed[fairnessKey(workspace)] === undefined) continue;
        const entity = client.workflow.getHandle(entityId('submit-pace', workspace, taskQueue));
        const isKept = await entity.describe().then(
          ({ closeTime }) => closeTime === undefined,
          () => false,
        );
        if (!isKept) await this.apply({ workspace, rate: null });
      }
    } catch {
      // A server without this call has no limits either.
    }
  }

  async #configure(change: object): Promise<void> {
    const { temporal: client, taskQueue } = this.#deps;
    await client.workflowService.updateTaskQueueConfig({
      namespace: client.options.namespace,
      identity: client.options.identity,
      taskQueue: submitQueue(taskQueue),
      taskQueueType: ACTIVITY,
      ...change,
    });
  }

  #isUnable(reason: string): void {
    if (Date.now() >= this.#unableUntil) {
      this.#deps.log.warn({ reason }, `Temporal's task queue cannot slow a workspace down; ${FIX}`);
    }
    this.#unableUntil = Date.now() + UNABLE_FOR;
    this.#reason = reason;
  }
}
