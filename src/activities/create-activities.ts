import type { SubmitRate } from './apply-submit-rate.ts';
import { awaitGeneration, type FoundGeneration } from './await-generation.ts';
import { checkPipelineWithReuse, type PipelineCheck } from './check-pipeline.ts';
import { checkGenerationRequest, type RequestCheck } from './check-request.ts';
import {
  type ClaimRequest,
  enterCreditGate,
  leaveCreditGate,
  requestClaim,
  withdrawClaim,
} from './claims.ts';
import type { ActivityDeps } from './deps.ts';
import { findReusable, type StepToReuse } from './find-reusable.ts';
import { type BalanceReport, getBalance } from './get-balance.ts';
import { getTask, type TaskReport, type TaskRequest } from './get-task.ts';
import type { StepToFind } from './step-to-find.ts';
import { type StoreOutputsInput, storeOutputs } from './store-outputs.ts';
import type { SubmitTaskInput, SubmitTaskResult } from './submit-contract.ts';
import { submitTask } from './submit-task.ts';
import { closedClaims, type OwnerSurvey, surveyOwners } from './survey-owners.ts';

/**
 * The activities as Temporal knows them, bound to what they reach out to. The worker registers all of them on
 * its task queue, and on the queue for submits `submitTask` and `passSubmitQueue` alone.
 */
export function createActivities(deps: ActivityDeps) {
  return {
    checkGeneration: async (request: unknown): Promise<RequestCheck> => checkGenerationRequest(request, deps),
    checkPipeline: (request: unknown): Promise<PipelineCheck> => checkPipelineWithReuse(request, deps),
    submitTask: (request: SubmitTaskInput): Promise<SubmitTaskResult> => submitTask(deps, request),
    applySubmitRate: (rate: SubmitRate) => deps.rates.apply(rate),
    /** Does nothing: that it runs shows that the queue lets it pass. */
    passSubmitQueue: async (): Promise<void> => undefined,
    getTask: (request: TaskRequest): Promise<TaskReport> => getTask(deps, request),
    getBalance: (request: { workspace: string }): Promise<BalanceReport> => getBalance(deps, request),
    storeOutputs: (request: StoreOutputsInput) => storeOutputs(deps, request),
    requestClaim: (request: ClaimRequest): Promise<void> => requestClaim(deps, request),
    withdrawClaim: (request: Parameters<typeof withdrawClaim>[1]) => withdrawClaim(deps, request),
    surveyOwners: (survey: OwnerSurvey) => surveyOwners(deps, survey),
    closedClaims: (claims: ClaimRequest['claim'][]): Promise<string[]> => closedClaims(deps.temporal, claims),
    enterCreditGate: (request: Parameters<typeof enterCreditGate>[1]): Promise<void> =>
      enterCreditGate(deps, request),
    leaveCreditGate: (request: { workspace: string; parkId: string }): Promise<void> =>
      leaveCreditGate(deps, request),
    awaitGeneration: (step: StepToFind): Promise<FoundGeneration> => awaitGeneration(deps.temporal, step),
    findReusable: (step: StepToReuse) => findReusable(deps, step),
  };
}

export type DarkroomActivities = ReturnType<typeof createActivities>;
