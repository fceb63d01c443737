import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Decision, PipelineProgress, Progress, TaskEvent } from './contract.ts';
import type { TaskGrant } from './unclaimed-tasks/contract.ts';

/** Wakes a generation up: a task's record may have changed. Sent by the webhook receiver. */
export const taskEventSignal = defineSignal<[TaskEvent]>('taskEvent');

/** What a generation is doing. */
export const progressQuery = defineQuery<Progress>('progress');

/** Polls at once; also wakes a parked run. Answers with the progress after it. */
export const checkNowUpdate = defineUpdate<Progress>('checkNow');

/** A person's word on a submit whose outcome nobody can tell. Refused unless the run waits for it. */
export const decideUpdate = defineUpdate<Progress, [Decision]>('decide');

/** What a pipeline is doing. */
export const pipelineProgressQuery = defineQuery<PipelineProgress>('progress');

/** From `unclaimed-tasks/<workspace>`: the task that a claim was granted. */
export const taskGrantedSignal = defineSignal<[TaskGrant]>('taskGranted');

/** From `credit-gate/<workspace>`: a parked generation may submit again. */
export const creditsReleasedSignal = defineSignal<[{ parkId: string }]>('creditsReleased');
