import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { PaceAnswer, SubmitReport } from '../policy/pace/types.ts';
import type { BatchProgress, RowState } from './batch.ts';
import type { AccountReport, Booking, BookingEnd } from './entities/account.ts';
import type {
  BegunLook,
  Claim,
  Looking,
  SubmitProof,
  SubmitShape,
  TaskGrant,
  Withdrawal,
  WithdrawalEnd,
} from './entities/claims.ts';
import type { ParkedGeneration } from './entities/credit-gate.ts';
import type { TaskNotices } from './entities/task-notices.ts';
import type { Decision, DecisionAnswer, Progress, TaskEvent } from './generation.ts';
import type { Approval, PipelineProgress, Rejection, Resolution, StepState } from './pipeline.ts';
import type { SubmitName } from './tasks/submit-task.ts';

// generation

/** Wakes a generation up: a task's record may have changed. Sent by the webhook receiver. */
export const taskEventSignal = defineSignal<[TaskEvent]>('taskEvent');
/** What a generation is doing. */
export const progressQuery = defineQuery<Progress>('progress');
/** Polls at once; also wakes a parked run. Answers with the progress after it. */
export const checkNowUpdate = defineUpdate<Progress>('checkNow');
/** A person's word on a submit whose outcome nobody can tell. Refused unless the run waits for it. */
export const decideUpdate = defineUpdate<DecisionAnswer, [Decision]>('decide');
/** From `unclaimed-tasks/<workspace>`: the task that a claim was granted. */
export const taskGrantedSignal = defineSignal<[TaskGrant]>('taskGranted');
/** From `unclaimed-tasks/<workspace>`: a task is looked at that may be a claim's whose run was told that there is none. */
export const lookBegunSignal = defineSignal<[BegunLook]>('lookBegun');
/** From `unclaimed-tasks/<workspace>`: the task of a submit that this run has given up. */
export const submitProvenSignal = defineSignal<[SubmitProof]>('submitProven');
/** From `credit-gate/<workspace>`: a parked generation may submit again. */
export const creditsReleasedSignal = defineSignal<[{ parkId: string }]>('creditsReleased');

/** From a worker: a submit that Temporal has given up was never sent, or was refused. Nothing is unknown of it. */
export const submitNotSentSignal = defineSignal<[Required<SubmitName>]>('submitNotSent');

// pipeline

/** What a pipeline is doing. */
export const pipelineProgressQuery = defineQuery<PipelineProgress>('progress');
/** Lets a step be bought that waits for approval. Refused unless it does. */
export const approveUpdate = defineUpdate<PipelineProgress, [Approval]>('approve');
/** Skips a step that waits for approval. Refused unless it does. */
export const rejectUpdate = defineUpdate<PipelineProgress, [Rejection]>('reject');
/** Says what becomes of a step that is held after a failure. Refused unless one is. */
export const resolveUpdate = defineUpdate<PipelineProgress, [Resolution]>('resolve');

/** From the generation of a step: whether it needs a look. */
export const stepStateSignal = defineSignal<[StepState]>('stepState');

// batch

/** How far a batch is. */
export const batchProgressQuery = defineQuery<BatchProgress>('progress');
/** From the pipeline of a row: whether it needs a look, or waits for its budget. */
export const rowStateSignal = defineSignal<[RowState]>('rowState');
/** To a page of rows: the batch is over. */
export const releaseRowsSignal = defineSignal('releaseRows');

/** `reason`: in words; null: what was told before is over. */
export interface HeldUp {
  reason: string | null;
  by?: 'budget';
}

/**
 * To a generation, from its own submit, which is tried again and again: the API is away, a cap is reached, or (`by`) others
 * hold what is left of a budget or cap.
 */
export const submitHeldUpSignal = defineSignal<[HeldUp]>('submitHeldUp');

// unclaimed-tasks/<workspace>

/** Tasks that no workflow is known to hold. */
export const taskCreatedSignal = defineSignal<[TaskNotices]>('taskCreated');
/** A generation that lost the answer to its submit looks for its task. */
export const claimRequestedSignal = defineSignal<[Claim]>('claimRequested');
/** Events of this workspace had to wait: a receiver was away, or had to refuse them. */
export const eventsDelayedSignal = defineSignal('eventsHeldUp');
/** Ids of tasks that nobody is known to hold. */
export const unclaimedQuery = defineQuery<string[]>('unclaimed');
/** Which of those may be of a submit of that input by that workflow. */
export const unclaimedLikeQuery = defineQuery<string[], [SubmitShape]>('unclaimedLike');
/** Whether anything is looked at that may be of these claims, open or given up; null: nothing. */
export const lookingForQuery = defineQuery<(Looking | null)[], [string[]]>('lookingFor');
/** Ends claims atomically. */
export const withdrawClaimsUpdate = defineUpdate<WithdrawalEnd[], [Withdrawal[]]>('withdrawClaims');

// credit-gate/<workspace>

/** A generation waits for credits. */
export const parkedSignal = defineSignal<[ParkedGeneration]>('parked');
/** It does not wait any more. */
export const leftSignal = defineSignal<[string]>('left');
/** A submit was accepted after another one was refused for want of credits. */
export const submitAcceptedSignal = defineSignal('submitAccepted');

// submit-pace/<workspace>

/** What a worker process has seen of a workspace's submits; answered with the pace to keep. */
export const reportSubmitsUpdate = defineUpdate<PaceAnswer, [SubmitReport]>('reportSubmits');

// account/<scope>

/** Bookings of one worker process, in order; answered one by one. */
export const bookUpdate = defineUpdate<BookingEnd[], [Booking[]]>('book');
/** What is spent and reserved. */
export const accountQuery = defineQuery<AccountReport>('account');
