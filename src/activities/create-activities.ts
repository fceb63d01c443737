import { Context } from '@temporalio/activity';
import type { DarkroomActivities } from '../contract/activities.ts';
import { checkGenerationRequest } from '../contract/checks/check-generation.ts';
import { findReusable } from '../temporal/reuse/find-reusable.ts';
import { lookAtRow, surveyRows } from './batch/look-at-row.ts';
import { readRows } from './batch/read-rows.ts';
import { closedRuns } from './credit-gate/closed-runs.ts';
import { getBalance } from './credit-gate/get-balance.ts';
import { enterCreditGate, leaveCreditGate } from './credit-gate/parking.ts';
import type { ActivityDeps } from './deps.ts';
import { accountedTasks } from './generation/accounted-tasks.ts';
import { getTask } from './generation/get-task.ts';
import { lookAtTask } from './generation/look-at-task.ts';
import { storeOutputs } from './generation/store-outputs.ts';
import { submitTask } from './generation/submit-task.ts';
import { accountedSteps } from './pipeline/accounted-steps.ts';
import { checkPipelineWithReuse } from './pipeline/check-reuse.ts';
import { awaitGeneration, lookAtGeneration } from './pipeline/look-at-generation.ts';
import { lookAtPipeline } from './pipeline/look-at-pipeline.ts';
import { reachOutputs } from './pipeline/reach-outputs.ts';
import { surveySteps } from './pipeline/survey-steps.ts';
import { checkClaims } from './unclaimed-tasks/check-claims.ts';
import { requestClaim, withdrawClaim } from './unclaimed-tasks/claims.ts';
import { surveyTasks } from './unclaimed-tasks/survey-tasks.ts';
import { tellProof } from './unclaimed-tasks/tell-proof.ts';

/**
 * The activities as Temporal knows them, bound to what they reach out to. The worker registers all of them on
 * its task queue, and on the queue for submits those that submit and `passSubmitQueue` alone.
 */
export function createActivities(deps: ActivityDeps): DarkroomActivities {
  const submit: DarkroomActivities['submitTask'] = async (request) => ({
    ...(await submitTask(deps, request)),
    ...ifRerun(request),
  });
  return {
    checkGeneration: async (request) => checkGenerationRequest(request, deps),
    submitTask: submit,
    submitFromTemplate: submit,
    adoptTask: submit,
    getTask: (request) => getTask(deps, request),
    lookAtTask: async (request) => ({ ...(await lookAtTask(deps, request)), ...ifRerun(request) }),
    accountedTasks: ({ earlierRun }) => accountedTasks(deps.temporal, earlierRun),
    storeOutputs: (request) => storeOutputs(deps, request),
    requestClaim: (request) => requestClaim(deps, request),
    withdrawClaim: (request) => withdrawClaim(deps, request),
    enterCreditGate: (request) => enterCreditGate(deps, request),
    leaveCreditGate: (request) => leaveCreditGate(deps, request),
    checkPipeline: (request, firstRunId) => checkPipelineWithReuse(request, firstRunId, deps),
    lookAtGeneration: (look) => lookAtGeneration(deps.temporal, look),
    lookAtPipeline: (look) => lookAtPipeline(deps.temporal, look),
    surveySteps: (survey) => surveySteps(deps.temporal, survey),
    accountedSteps: (pipeline) => accountedSteps(deps.temporal, pipeline),
    awaitGeneration: (step) => awaitGeneration(deps.temporal, step),
    reachOutputs: (outputs) => reachOutputs(deps, outputs),
    findReusable: (step) => findReusable(deps, step),
    readRows: ({ workflowId }) => readRows(deps.temporal, workflowId),
    surveyRows: (rows) => surveyRows(deps.temporal, rows),
    lookAtRow: (row) => lookAtRow(deps.temporal, row),
    surveyTasks: (survey) => surveyTasks(deps, survey),
    checkClaims: (claims) => checkClaims(deps.temporal, claims),
    tellProof: (proof) => tellProof(deps, proof),
    surveyOwners: async () => ({}),
    closedClaims: async () => [],
    getBalance: (request) => getBalance(deps, request),
    closedRuns: (runs) => closedRuns(deps.temporal, runs),
    applySubmitRate: (rate) => deps.rates.apply(rate),
    passSubmitQueue: async () => undefined,
  };
}

/** Tells a run that there are earlier runs of its workflow id. */
function ifRerun({ firstRunId }: { firstRunId: string }): { rerun?: true } {
  return Context.current().info.workflowExecution?.runId === firstRunId ? {} : { rerun: true };
}
