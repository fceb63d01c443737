import { TimeoutType } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure, TimeoutFailure, workflowInfo } from '@temporalio/workflow';
import type { FieldError } from '../../api/input/field-error.ts';
import type { RejectionDetails, SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { parentRun } from '../parent-run.ts';
import { adoptActivity, submitActivity, summary } from './activities.ts';
import { GenerationEnd } from './failure.ts';
import type { Steps } from './generation.ts';

/** How a submit ended, as the workflow sees it. */
export type SubmitEnd =
  | SubmitTaskResult
  | { kind: 'rejected'; code: string; message: string; errors?: FieldError[]; available?: number };

/**
 * Submits once (rejections that the policy paces in place are Temporal's to retry). A time-out after the submit
 * began is an unknown outcome, not a failure.
 */
export async function submit({ run, plan }: Steps): Promise<SubmitEnd> {
  const { policy, input } = plan;
  const { runId, firstExecutionRunId, taskQueue } = workflowInfo();
  const { model, templateId, earlierRun, adoptOnly } = run.request;
  const parent = parentRun(earlierRun !== undefined);
  const number = run.attempts.length + 1;
  // One that runs again may buy nothing: it is told so, and the note goes with what follows.
  const mayAdopt = number === 1 && (runId !== firstExecutionRunId || earlierRun !== undefined);
  run.enter('submitting', mayAdopt ? 'looking for what earlier runs have bought' : undefined);
  const words =
    adoptOnly === undefined ? describeSubmit(model, number, mayAdopt) : 'take over what was bought';
  const { workspace } = run;
  const options = { policy, taskQueue, workspace, summary: summary(words) };
  const buy = adoptOnly === undefined ? submitActivity(options).submitTask : adoptActivity(options).adoptTask;
  const since = Date.now();
  try {
    const result = await buy({
      model,
      input,
      ...(templateId === undefined ? {} : { templateId }),
      workspace: run.workspace,
      submit: policy.submit,
      retries: policy.retries,
      vanished: policy.vanished,
      firstRunId: firstExecutionRunId,
      ...(earlierRun === undefined ? {} : { earlierRun }),
      ...(parent === undefined ? {} : { parent }),
      ...(adoptOnly === undefined ? {} : { adoptOnly }),
      settledTaskIds: run.settledTaskIds,
      resolvedUnknowns: run.resolvedUnknowns,
    });
    if (result.rerun) run.isRerun = true;
    return result;
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const { cause } = error;
    if (cause instanceof TimeoutFailure && cause.timeoutType !== TimeoutType.SCHEDULE_TO_START) {
      const reason = 'the worker that submitted was lost before it could report';
      const { activityId } = error;
      const submit = activityId === undefined ? {} : { submit: { activityId } };
      return { kind: 'unknown', reason, since, inFlight: true, ...submit };
    }
    if (cause instanceof ApplicationFailure) {
      // Nothing was submitted.
      if (adoptOnly !== undefined && cause.type === adoptOnly.type)
        throw new GenerationEnd(adoptOnly.type, cause.message);
      const details = cause.details?.[0] as Partial<RejectionDetails> | undefined; // thrown by to-failure.ts
      return {
        kind: 'rejected',
        code: cause.type ?? 'UNKNOWN',
        message: cause.message,
        ...(details?.errors === undefined ? {} : { errors: details.errors }),
        ...(details?.available === undefined ? {} : { available: details.available }),
      };
    }
    throw error;
  }
}

function describeSubmit(model: string, number: number, mayAdopt: boolean): string {
  if (mayAdopt) return `take over what was bought, or buy ${model}`;
  return number === 1 ? `submit ${model}` : `submit ${model}, attempt ${number}`;
}
