import {
  type InjectedSinks,
  type NativeConnection,
  type WorkerOptions as SdkWorkerOptions,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { DarkroomMetrics } from '../activities/metrics.ts';
import type { DarkroomActivities } from '../contract/activities.ts';
import type { DarkroomSinks } from '../contract/sinks.ts';
import { submitQueue } from '../contract/tasks/submit-queue.ts';
import type { WorkspaceTask } from '../contract/tasks/workspace-task.ts';
import type { Tracing } from '../temporal/tracing.ts';
import { countingSinks } from './counting-sinks.ts';
import { withLeanThreads } from './lean-threads.ts';
import { SubmitSlots } from './submit-slots.ts';
import { untilEnded } from './until-ended.ts';

export interface WorkerOptions {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  workflowBundle: () => Promise<WorkflowBundleOption>;
  traces: Tracing | undefined;
  activities: DarkroomActivities;
  /** A workflow that runs here holds a task: it is in its history. */
  onHeld: (task: WorkspaceTask, workflowId: string, isReplaying: boolean) => void;
  metrics: DarkroomMetrics;
  /** The version that these workers are of, where workers are versioned. */
  deployment: { name: string; buildId: string } | undefined;
  /** How many activities run at once on each queue. */
  activitySlots: number;
  /** Takes what runs on the main queue to a Worker of somebody else's; undefined: it gets one here. */
  host: ((parts: HostedParts) => void) | undefined;
}

/** What the Worker that runs Darkroom's workflows needs beside them. */
export interface HostedParts {
  activities: DarkroomActivities;
  sinks: InjectedSinks<DarkroomSinks>;
}

/** A running set of workers. `failed` settles only when one of them breaks. */
export interface RunningWorkers {
  failed: Promise<never>;
  /** Whether each of them takes work. */
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** A submit in flight is waited for on shutdown: its answer is worth money. The policy's time-out is shorter. */
const DRAIN = '90 seconds';
/** Places for what the worker for submits does not do. */
const NONE = { type: 'fixed-size', numSlots: 1 } as const;

/**
 * Starts the worker for workflows and activities, and the one for submits: these have a task queue of their own,
 * so that Temporal can pace them for the whole fleet.
 */
export async function startWorkers(options: WorkerOptions): Promise<RunningWorkers> {
  const {
    connection,
    namespace,
    taskQueue,
    workflowBundle,
    traces,
    activities,
    onHeld,
    metrics,
    deployment,
    activitySlots,
    host,
  } = options;
  const { submitTask, adoptTask, checkPlace, passSubmitQueue } = activities;
  // In a replay too: what a process takes over from another one, it routes as its own.
  const sinks: InjectedSinks<DarkroomSinks> = {
    tasks: {
      held: {
        fn: ({ workflowId, unsafe }, task) => onHeld(task, workflowId, unsafe.isReplaying),
        callDuringReplay: true,
      },
    },
    counts: countingSinks(metrics),
  };
  const shared = {
    connection,
    namespace,
    shutdownGraceTime: DRAIN,
    ...(deployment === undefined
      ? {}
      : {
          workerDeploymentOptions: {
            version: { deploymentName: deployment.name, buildId: deployment.buildId },
            useWorkerVersioning: true as const,
            // Entities live for long and follow the deployment; generations and pipelines say otherwise themselves.
            defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
          },
        }),
  } as const;
  host?.({ activities, sinks });
  const create = (one: SdkWorkerOptions): Promise<Worker> =>
    Worker.create(traces?.configureWorker(one) ?? one);
  const createMain = (bundle: WorkflowBundleOption): Promise<Worker> =>
    withLeanThreads(() =>
      create({
        ...shared,
        taskQueue,
        workflowBundle: bundle,
        activities,
        sinks,
        maxConcurrentActivityTaskExecutions: activitySlots,
        maxConcurrentLocalActivityExecutions: 200,
      }),
    );
  const slots = new SubmitSlots(activitySlots);
  const workers = await Promise.all([
    ...(host === undefined ? [createMain(await workflowBundle())] : []),
    create({
      ...shared,
      taskQueue: submitQueue(taskQueue),
      activities: { submitTask, adoptTask, checkPlace, passSubmitQueue },
      tuner: {
        activityTaskSlotSupplier: slots,
        workflowTaskSlotSupplier: NONE,
        localActivityTaskSlotSupplier: NONE,
        nexusTaskSlotSupplier: NONE,
      },
    }),
  ]);
  const runs = workers.map((worker) => untilEnded(worker, worker.run()));
  const ended = Promise.all(runs);
  const failed = new Promise<never>((_, reject) => {
    ended.catch(reject);
  });
  failed.catch(() => undefined); // whoever awaits it hears of it; nobody has to
  return {
    failed,
    isRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    async stop() {
      // The one for submits last: without the others none are made any more.
      for (const worker of workers.slice(0, -1)) if (worker.getState() === 'RUNNING') worker.shutdown();
      await slots.drain();
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      // Those that go on finish what they have, also where another one has broken.
      await Promise.allSettled(runs);
      await ended;
    },
  };
}
