import { TimeoutType } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { SubmitPaceState } from '../../contract/entities/submit-pace.ts';
import { reportSubmitsUpdate } from '../../contract/messages.ts';
import { submitQueue, UNSLOWED_WEIGHT } from '../../contract/tasks/submit-queue.ts';
import { FleetPace } from '../../policy/pace/fleet-pace.ts';
import { isSubmitReport } from '../../policy/pace/types.ts';
import { goOn, isLong } from '../go-on.ts';
import { keepOrder } from '../in-order.ts';
import { readState } from './read-state.ts';

const MAX_HISTORY = 8_000;
/** A smaller change of the rate is not worth a call. */
const NOTICEABLE = 0.02;
/** Whether others pass is tried first after this time, when tasks are not handed out past a backlog any more. */
const FIRST_TRY = 6_000;
/** The pause after the first try; the second one is twice as long, and so on, up to four times. */
const NEXT_TRY = 5_000;

const { applySubmitRate } = proxyLocalActivities<Pick<DarkroomActivities, 'applySubmitRate'>>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '5 seconds' },
});

/**
 * Entity workflow `submit-pace/<workspace>`: the pace of a workspace whose submits the API refuses. The worker
 * processes report to it and are told the pace; the task queue of the submits keeps it. Starts with a refusal,
 * ends when nothing was refused for two minutes.
 */
export async function submitPace(asked: SubmitPaceState): Promise<void> {
  keepOrder();
  const state = readState(asked);
  let fleet = state.pace === undefined ? undefined : new FleetPace(state.pace);
  let reports = 0;
  setHandler(
    reportSubmitsUpdate,
    (report) => {
      reports += 1;
      fleet ??= FleetPace.begin(report, Date.now());
      return fleet.report(report, Date.now());
    },
    {
      validator(report) {
        if (!isSubmitReport(report)) throw new Error('a report names its reporter, and counts from 0');
      },
    },
  );
  await condition(() => fleet !== undefined, '1 minute');
  if (fleet === undefined) return;
  const queue = new SlowedQueue(state.workspace, fleet);
  try {
    for (;;) {
      const seen = reports;
      await queue.keepPace();
      if (fleet.hasRecovered(Date.now())) return;
      setCurrentDetails(describe(fleet));
      if (isLong(MAX_HISTORY))
        await goOn<typeof submitPace>({ workspace: state.workspace, pace: fleet.state });
      await condition(() => reports > seen, Math.max(1, fleet.recoversIn(Date.now())), {
        summary: 'until the pace may rise',
      });
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => queue.release());
    throw error;
  }
}

/** The limit of one workspace in the queue of the submits. */
class SlowedQueue {
  readonly #workspace: string;
  readonly #fleet: FleetPace;
  /** Undefined: whatever an earlier run has left. */
  #applied: number | null | undefined;
  #tryAt: number | undefined;
  #trying = false;
  #passed = 0;
  #blocked = 0;

  constructor(workspace: string, fleet: FleetPace) {
    this.#workspace = workspace;
    this.#fleet = fleet;
  }

  /** Brings the queue to the pace that the workers are told; removes the limit when it is not needed any more. */
  async keepPace(): Promise<void> {
    const now = Date.now();
    if (this.#fleet.hasRecovered(now)) return await this.release();
    const rate = this.#fleet.queueRate(now);
    if (rate === null) return await this.release();
    if (typeof this.#applied !== 'number' || Math.abs(rate / this.#applied - 1) >= NOTICEABLE) {
      const done = await applySubmitRate({ workspace: this.#workspace, rate });
      this.#applied = rate;
      if (done.kind === 'unable') {
        this.#fleet.leaveToWorkers();
        this.#applied = null;
      }
    }
    this.#tryAt ??= now + FIRST_TRY;
    if (now >= this.#tryAt && !this.#trying) void this.#tryWhetherOthersPass();
  }

  async release(): Promise<void> {
    if (this.#applied === null) return;
    await applySubmitRate({ workspace: this.#workspace, rate: null });
    this.#applied = null;
  }

  /**
   * A server without fairness keeps the pace too, but lets every other workspace wait behind the slowed one, and
   * its API does not tell whether it has fairness. So an empty task of nobody's goes through the queue now and
   * then; two in a row that get stuck, and the workers keep the pace instead.
   */
  async #tryWhetherOthersPass(): Promise<void> {
    this.#trying = true;
    try {
      await passQueue();
      this.#passed += 1;
      this.#blocked = 0;
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : error;
      if (!(cause instanceof TimeoutFailure) || cause.timeoutType !== TimeoutType.SCHEDULE_TO_START) return;
      this.#blocked += 1;
      if (this.#blocked < 2) return await this.#tryWhetherOthersPass();
      this.#fleet.leaveToWorkers();
      await applySubmitRate({ workspace: this.#workspace, rate: null, blocksOthers: true });
      this.#applied = null;
    } finally {
      this.#trying = false;
      this.#tryAt = Date.now() + NEXT_TRY * Math.min(4, this.#passed);
    }
  }
}

async function passQueue(): Promise<void> {
  const { passSubmitQueue } = proxyActivities<Pick<DarkroomActivities, 'passSubmitQueue'>>({
    taskQueue: submitQueue(workflowInfo().taskQueue),
    scheduleToStartTimeout: '4 seconds',
    startToCloseTimeout: '10 seconds',
    retry: { maximumAttempts: 1 },
    // As a submit of another workspace has it; this workflow's own priority is higher.
    priority: { priorityKey: 3, fairnessKey: 'whether others pass', fairnessWeight: UNSLOWED_WEIGHT },
    summary: 'do other workspaces pass?',
  });
  await passSubmitQueue();
}

function describe(fleet: FleetPace): string {
  const { accepted, refused, pacedBy } = fleet.state;
  const { rate } = fleet.answer(Date.now());
  const keeper = pacedBy === 'queue' ? 'the task queue' : 'the workers';
  return `The API refuses submits: ${keeper} keeps them at about ${rate.toPrecision(2)} a second. Since then ${accepted} were accepted and ${refused} refused.`;
}
