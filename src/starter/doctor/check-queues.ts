import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { type Finding, failure, ok, warning } from '../../contract/finding.ts';
import { submitQueue } from '../../contract/tasks/submit-queue.ts';
import { ownProgram } from '../../package/own-command.ts';
import { formatDuration } from '../../policy/duration.ts';
import { guarded } from './check-namespace.ts';

type Described = Pick<temporal.api.workflowservice.v1.IDescribeTaskQueueResponse, 'pollers' | 'stats'>;

const { TaskQueueType, WorkerVersioningMode } = proto.temporal.api.enums.v1;

/** A poll takes a minute; the server remembers pollers for five (milliseconds). */
const LATELY = 90_000;
/** What waits for longer waits for more workers (milliseconds). */
const LONG_WAIT = 60_000;

/** How often, and with what pause (milliseconds), a queue is asked about that nobody polls. */
const LOOKS = 4;
const BETWEEN_LOOKS = 1_000;

const KINDS = [
  { what: 'workflows', type: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, nameOf: (queue: string) => queue },
  { what: 'activities', type: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY, nameOf: (queue: string) => queue },
  { what: 'submits', type: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY, nameOf: submitQueue },
] as const;

/** `untaken`: nobody is known to poll the queue. */
export interface QueueFinding {
  kind: 'taken' | 'untaken' | 'version' | 'no current version';
  finding: Finding;
}

/**
 * The task queues of a deployment: who takes work, what waits, and whether all run the same code.
 *
 * @param now by Temporal's clock
 */
export async function checkQueues(client: Client, taskQueue: string, now: number): Promise<QueueFinding[]> {
  const findings = await Promise.all(
    KINDS.map(async ({ what, type, nameOf }): Promise<QueueFinding[]> => {
      const queue = nameOf(taskQueue);
      const check = `workers for ${what}`;
      let versions: QueueFinding[] = [];
      const fix = 'Ask who runs Temporal: the task queue cannot be read.';
      const finding = await guarded(check, fix, async () => {
        const described = await describeQueue(client, queue, type, now - LATELY);
        versions = await checkVersions(client, what, described);
        return checkPollers(check, queue, described);
      });
      return [{ kind: finding.status === 'failure' ? 'untaken' : 'taken', finding }, ...versions];
    }),
  );
  return findings.flat();
}

/** With the pollers since that time alone. A worker that has just been started is given a moment to poll. */
async function describeQueue(
  client: Client,
  queue: string,
  type: proto.temporal.api.enums.v1.TaskQueueType,
  since: number,
): Promise<Described> {
  for (let look = 1; ; look += 1) {
    const { stats, pollers: known } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: queue },
      taskQueueType: type,
      reportStats: true,
    });
    const pollers = (known ?? []).filter(
      ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since,
    );
    if (pollers.length > 0 || look === LOOKS) return { pollers, stats: stats ?? null };
    await delay(BETWEEN_LOOKS);
  }
}

function checkPollers(check: string, queue: string, described: Described): Finding {
  const pollers = described.pollers ?? [];
  const { approximateBacklogCount, approximateBacklogAge } = described.stats ?? {};
  const waiting = Number(approximateBacklogCount ?? 0);
  const age = Number(approximateBacklogAge?.seconds ?? 0) * 1_000;
  const backlog = waiting === 0 ? '' : `${waiting} tasks wait, the oldest for ${formatDuration(age)}`;
  if (pollers.length === 0)
    return failure(
      check,
      `No worker polls task queue ${queue}.${backlog === '' ? '' : ` ${backlog}.`}`,
      `Start one (${ownProgram('worker')}); or set DARKROOM_TASK_QUEUE to the queue that yours poll.`,
    );
  const who = `${pollers.length === 1 ? 'One worker polls' : `${pollers.length} workers poll`} ${queue}`;
  return waiting > 0 && age > LONG_WAIT
    ? warning(
        check,
        `${who}, and ${backlog}.`,
        'Start more workers, or look at what holds up those that run.',
      )
    : ok(check, `${who}.`);
}

/** Runs of workers that are not versioned are replayed by any of them, which needs the same code. */
async function checkVersions(client: Client, what: string, described: Described): Promise<QueueFinding[]> {
  const pollers = described.pollers ?? [];
  const check = `versions of the workers for ${what}`;
  const deployments = new Set<string>();
  const builds = new Set<string>();
  for (const { deploymentOptions, workerVersionCapabilities } of pollers) {
    const isVersioned =
      deploymentOptions?.workerVersioningMode === WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED;
    if (isVersioned) deployments.add(deploymentOptions.deploymentName ?? '');
    else builds.add(deploymentOptions?.buildId || workerVersionCapabilities?.buildId || '');
  }
  if (deployments.size > 0 && builds.size > 0)
    return differing(
      check,
      'Some workers are versioned, and some are not: runs of either kind wait for their own.',
      'Set TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID for all workers, or for none.',
    );
  if (builds.size > 1)
    return differing(
      check,
      `Workers of ${builds.size} builds replay each other's runs.`,
      'Finish the rollout; or set TEMPORAL_DEPLOYMENT_NAME and TEMPORAL_WORKER_BUILD_ID, which keep versions apart.',
    );
  const current = await Promise.all([...deployments].map((name) => checkCurrent(client, check, name)));
  return current.filter((finding) => finding !== undefined);
}

function differing(...[check, message, fix]: Parameters<typeof warning>): QueueFinding[] {
  return [{ kind: 'version', finding: warning(check, message, fix) }];
}

async function checkCurrent(client: Client, check: string, name: string): Promise<QueueFinding | undefined> {
  const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({
    namespace: client.options.namespace,
    deploymentName: name,
  });
  if (workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId) return undefined;
  const message = `Deployment ${name} has no current version: what is started waits.`;
  const fix = `temporal worker deployment set-current-version --deployment-name ${name} --build-id <build id>`;
  return { kind: 'no current version', finding: failure(check, message, fix) };
}
