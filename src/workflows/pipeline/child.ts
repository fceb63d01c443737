import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  ParentClosePolicy,
  startChild,
  type WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { OwnFailureType } from '../../contract/failures/failures.ts';
import type { FailureDetails, GenerationRequest } from '../../contract/generation.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { PipelineRequest, PipelineStep, StepItem } from '../../contract/pipeline.ts';
import type { Origins } from '../../contract/purchases/origins.ts';
import { orderOf } from '../../contract/steps/pipeline-step.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { summarize } from '../../contract/summary.ts';
import { layOver } from '../../policy/lay-over.ts';
import { generation } from '../generation/generation.ts';
import { parentMemo } from '../parent-run.ts';

/** A memo lies with every list of workflows: beyond this the URLs alone tell what an input is made of (bytes). */
const MOST_ORIGINS = 4_000;

export interface Child {
  workflowId: string;
  /** The generation's own below the pipeline's id: it tells the pipeline by it when it needs a look. */
  path?: string;
  request: GenerationRequest;
  /** What to do where the id has been used before. */
  reuse: WorkflowIdReusePolicy;
  /** Whether an earlier pipeline of this id may have started it, be it the same purchase or another. */
  isAgain: boolean;
  /** What the URLs in the input are; noted, so that a later run can tell. */
  origins?: Origins;
  /** Called once it runs. */
  onStart?: () => void;
}

/**
 * Runs a step's generation to its end. A failure is a result here, and so is a generation that somebody has cancelled
 * by itself; only the pipeline's own cancellation is thrown.
 *
 * @throws WorkflowExecutionAlreadyStartedError where the id is in use
 */
export async function runChild({
  workflowId,
  path,
  request,
  reuse,
  isAgain,
  origins = {},
  onStart,
}: Child): Promise<StepItem> {
  try {
    const child = await startChild(generation, {
      workflowId,
      args: [request],
      workflowIdReusePolicy: reuse,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      // What is paid for goes on when a pipeline is terminated: the next run takes it over.
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: summarize(request),
      memo: {
        ...parentMemo(isAgain),
        ...(path === undefined ? {} : { step: path }),
        ...(isWorthNoting(origins) ? { origins } : {}),
      },
    });
    onStart?.();
    return { status: 'COMPLETED', workflowId, result: await child.result() };
  } catch (error) {
    if (!(error instanceof ChildWorkflowFailure) || CancellationScope.current().consideredCancelled)
      throw error;
    return { status: 'FAILED', workflowId, failure: stepFailure(error.cause) };
  }
}

function isWorthNoting(origins: Origins): boolean {
  return Object.keys(origins).length > 0 && jsonBytes(origins) <= MOST_ORIGINS;
}

/** @param credits what the generation may cost at most, its retries included; no limit when undefined */
export function generationRequest(
  { policy: shared, workspace, tags }: Pick<PipelineRequest, 'policy' | 'workspace' | 'tags'>,
  step: Pick<PipelineStep, 'model' | 'templateId' | 'policy'>,
  input: Record<string, unknown>,
  credits: number | undefined,
): GenerationRequest {
  const policy = layOver(shared, step.policy);
  const own = ownBudget(policy);
  const least = Math.min(own ?? Infinity, credits ?? Infinity);
  const whole = Number.isFinite(least) ? layOver(policy ?? {}, { budget: { credits: least } }) : policy;
  return {
    ...orderOf(step, input),
    ...(workspace === undefined ? {} : { workspace }),
    ...(whole === undefined ? {} : { policy: whole }),
    ...(tags === undefined ? {} : { tags }),
  };
}

/** The budget that a policy has for each generation by itself. */
export function ownBudget(policy: unknown): number | undefined {
  return (policy as { budget?: { credits?: number } } | undefined)?.budget?.credits; // checked by checkPipeline
}

/** A step that failed before anything was bought for it. */
export function failedBefore(workflowId: string, why: { type: OwnFailureType; message: string }): StepItem {
  const details: FailureDetails = { attempts: [], usage: NO_USAGE, charged: NO_USAGE };
  return { status: 'FAILED', workflowId, failure: { ...why, details } };
}
