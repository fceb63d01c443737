import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { NO_USAGE } from '../../api/usage.ts';
import type { DarkroomActivities, FoundGeneration, StepToFind } from '../../contract/activities.ts';
import type { FailureDetails, GenerationRequest, OwnFailureType } from '../../contract/generation.ts';
import type { PipelineRequest, PipelineStep, StepFailure, StepItem } from '../../contract/pipeline.ts';
import { summarize } from '../../contract/summary.ts';
import { layOver } from '../../policy/lay-over.ts';
import { generation } from '../generation/generation.ts';
import type { Budget } from './budget.ts';
import { usageOf } from './step-result.ts';

const { awaitGeneration, findReusable } = proxyActivities<
  Pick<DarkroomActivities, 'awaitGeneration' | 'findReusable'>
>({
  // It follows a generation that may wait for credits or for a person: days, not minutes.
  startToCloseTimeout: '30 days',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
});

export interface ItemOptions {
  request: PipelineRequest;
  step: PipelineStep;
  /** The step's input with every reference resolved. */
  input: Record<string, unknown>;
  /** Below the pipeline's id: `<step>`, or `<step>/<index>` under fan-out. */
  path: string;
  budget: Budget;
  onStart: (workflowId: string) => void;
}

/**
 * One generation of a pipeline: taken from the pipeline that `reuse` names, or from an earlier run of this one
 * (running or completed), else bought. A failure is a result here, and so is a generation that somebody has
 * cancelled by itself; only the pipeline's own cancellation is thrown.
 */
export async function runItem(options: ItemOptions): Promise<StepItem> {
  const { request, step, input, path, budget } = options;
  const workflowId = `${workflowInfo().workflowId}/${path}`;
  if (request.reuse !== undefined) {
    const found = await findReusable({ pipelineId: request.reuse, path, model: step.model, input });
    if (found !== null) return { status: 'COMPLETED', ...found, reused: true };
  }
  const left = budget.left();
  if (left !== undefined && left <= 0) {
    const bought = await boughtBefore({ workflowId, model: step.model, input });
    if (bought !== undefined) return bought;
    const message = `the pipeline's budget of ${request.budget?.credits} credits is spent`;
    return failed(workflowId, 'BUDGET_EXCEEDED', message);
  }
  options.onStart(workflowId);
  const item = await buyOrTakeOver(workflowId, options, left);
  budget.spend(usageOf(item).total);
  return item;
}

/**
 * What an earlier run has bought is no purchase any more, whatever is left of the budget: a re-run takes its steps
 * over in another order than they were paid in.
 */
async function boughtBefore(step: StepToFind): Promise<StepItem | undefined> {
  const { runId, firstExecutionRunId } = workflowInfo();
  if (runId === firstExecutionRunId) return undefined;
  const found = await takeOver(step);
  return found.kind === 'completed'
    ? { status: 'COMPLETED', workflowId: step.workflowId, result: found.result }
    : undefined;
}

async function buyOrTakeOver(
  workflowId: string,
  options: ItemOptions,
  left: number | undefined,
): Promise<StepItem> {
  const request = generationRequest(options, left);
  try {
    return await runChild(workflowId, request, WorkflowIdReusePolicy.REJECT_DUPLICATE);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  // An earlier run of this pipeline has started the step: take over what it bought.
  const found = await takeOver({ workflowId, model: request.model, input: request.input });
  if (found.kind === 'completed') return { status: 'COMPLETED', workflowId, result: found.result };
  const again = found.kind === 'failed' ? { ...request, earlierRun: found.runId } : request;
  try {
    return await runChild(workflowId, again, WorkflowIdReusePolicy.ALLOW_DUPLICATE);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return failed(
      workflowId,
      'INVALID_REQUEST',
      `${workflowId} runs already with another model or input: let it end, cancel it, or give the pipeline another id`,
    );
  }
}

/** A step that failed before anything was bought for it. */
function failed(workflowId: string, type: OwnFailureType, message: string): StepItem {
  const details: FailureDetails = { attempts: [], usage: NO_USAGE, charged: NO_USAGE };
  return { status: 'FAILED', workflowId, failure: { type, message, details } };
}

/**
 * Waits for a generation that an earlier run has started. It is no child of this run, so a cancellation of the
 * pipeline has to be passed on to it.
 */
async function takeOver(step: StepToFind): Promise<FoundGeneration> {
  try {
    return await awaitGeneration(step);
  } catch (error) {
    if (isCancellation(error)) {
      const taken = getExternalWorkflowHandle(step.workflowId);
      // It may have ended meanwhile: then there is nothing to cancel.
      await CancellationScope.nonCancellable(() => taken.cancel().catch(() => undefined));
    }
    throw error;
  }
}

async function runChild(
  workflowId: string,
  request: GenerationRequest,
  workflowIdReusePolicy: WorkflowIdReusePolicy,
): Promise<StepItem> {
  try {
    const child = await startChild(generation, {
      workflowId,
      args: [request],
      workflowIdReusePolicy,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      // What is paid for goes on when a pipeline is terminated: the next run takes it over.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: summarize(request),
    });
    return { status: 'COMPLETED', workflowId, result: await child.result() };
  } catch (error) {
    if (!(error instanceof ChildWorkflowFailure) || CancellationScope.current().consideredCancelled)
      throw error;
    return { status: 'FAILED', workflowId, failure: describeFailure(error.cause) };
  }
}

function generationRequest(
  { request, step, input }: ItemOptions,
  left: number | undefined,
): GenerationRequest {
  const policy = layOver(request.policy, step.policy);
  const own = (policy as { budget?: { credits?: number } } | undefined)?.budget?.credits; // checked by checkPipeline
  const credits = Math.min(own ?? Infinity, left ?? Infinity);
  const whole = Number.isFinite(credits) ? layOver(policy ?? {}, { budget: { credits } }) : policy;
  return {
    model: step.model,
    input,
    ...(request.workspace === undefined ? {} : { workspace: request.workspace }),
    ...(whole === undefined ? {} : { policy: whole }),
  };
}

function describeFailure(cause: unknown): StepFailure {
  if (cause instanceof ApplicationFailure) {
    return { type: cause.type ?? 'UNKNOWN', message: cause.message, details: cause.details?.[0] ?? null };
  }
  const message = cause instanceof Error ? cause.message : 'the generation ended without a result';
  return { type: cause instanceof Error ? cause.name : 'UNKNOWN', message, details: null };
}
