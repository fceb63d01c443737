import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import proto from '@temporalio/proto';
import { CLOCK_TOLERANCE } from '../../contract/limits.ts';
import { submitNotSentSignal } from '../../contract/messages.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { isNotFound } from '../../temporal/grpc-status.ts';
import type { ActivityDeps } from '../deps.ts';

const { PENDING_ACTIVITY_STATE_STARTED, PENDING_ACTIVITY_STATE_PAUSE_REQUESTED } =
  proto.temporal.api.enums.v1.PendingActivityState;

/** The SDK sends a heartbeat after four fifths of the time-out: a stall of the last fifth can be one too long. */
const LAST_FIFTH = 5;

/**
 * Fences a submit. A process that stood still, or got an attempt late, may hold one that Temporal has given up by its
 * heartbeat: its run looks for the task by then, has bought another, or is over. So in these cases Temporal is asked
 * whether it still waits for this very attempt. Otherwise it costs a comparison.
 */
export class Fence {
  readonly #deps: Pick<ActivityDeps, 'temporal' | 'stalls' | 'temporalClock' | 'log'>;
  /** Milliseconds. */
  readonly #heartbeat: number;
  readonly #isLate: boolean;
  /** When the attempt was scheduled, at the earliest, by `performance.now()`. */
  readonly #scheduledAt: number;
  #askedAt: number | undefined;

  /** @param heartbeat the time-out, in milliseconds. To be made as soon as the attempt is here */
  constructor(deps: Pick<ActivityDeps, 'temporal' | 'stalls' | 'temporalClock' | 'log'>, heartbeat: number) {
    this.#deps = deps;
    this.#heartbeat = heartbeat;
    // It may have waited in the queue, or the network has held back what Temporal had handed out: nobody can tell.
    const { currentAttemptScheduledTimestampMs: scheduledAt } = Context.current().info;
    // That is by Temporal's clock, and this process's may be behind. (Where it is ahead, more are asked about.)
    const behind = Math.max(0, deps.temporalClock.offset ?? 0);
    const age = Date.now() + behind - scheduledAt;
    this.#isLate = age >= heartbeat / 2;
    this.#scheduledAt = performance.now() - age - CLOCK_TOLERANCE;
  }

  /**
   * To be called right before the request is sent.
   *
   * @throws CancelledFailure where nobody waits for it; the client's error while Temporal cannot tell
   */
  async ensureWanted(): Promise<void> {
    // The process may stand still again while it asks.
    while (this.#mayBeUnwanted()) {
      this.#askedAt = performance.now();
      if (!(await isWanted(this.#deps.temporal)))
        throw new CancelledFailure('this submit came too late, and nobody waits for it any more');
    }
  }

  /**
   * Says that an attempt has bought nothing for sure, where nobody waits for it any more: its run has been told that its
   * worker was lost. Never throws.
   */
  async tellNotSent(): Promise<void> {
    const { temporal, log } = this.#deps;
    const { workflowExecution, activityId } = Context.current().info;
    const { workflowId = '', runId = '' } = workflowExecution ?? {};
    if (this.#askedAt === undefined && !this.#mayBeUnwanted()) return;
    try {
      if (await isWanted(temporal)) return;
      // The run that goes on for it after a Reset may be in doubt about it as well.
      await temporal.workflow.getHandle(workflowId).signal(submitNotSentSignal, { runId, activityId });
    } catch (error) {
      if (isNotFound(error)) return;
      log.warn({ err: error, workflowId }, 'a run cannot be told that its submit was never sent');
    }
  }

  #mayBeUnwanted(): boolean {
    const { stalls } = this.#deps;
    if (this.#askedAt === undefined && this.#isLate) return true;
    return stalls.longestSince(this.#askedAt ?? this.#scheduledAt) >= this.#heartbeat / LAST_FIFTH;
  }
}

async function isWanted(client: Client): Promise<boolean> {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  const run = await describeRun(client, workflowId, runId);
  if (run === undefined || run.closeTime !== undefined) return false;
  const pending = run.raw.pendingActivities?.find((activity) => activity.activityId === activityId);
  return (
    pending?.attempt === attempt &&
    (pending.state === PENDING_ACTIVITY_STATE_STARTED ||
      pending.state === PENDING_ACTIVITY_STATE_PAUSE_REQUESTED)
  );
}
