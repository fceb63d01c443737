import { Context } from '@temporalio/activity';
import { listErrors } from '../api/input/mistakes.ts';
import type { DarkroomActivities } from '../contract/activities.ts';
import { checkCallback } from '../contract/callback.ts';
import { auditPurchases, hasRuns } from './account/audit-purchases.ts';
import { bookParts } from './batch/book-parts.ts';
import { lookAtRow, surveyRows } from './batch/look-at-row.ts';
import { readRows } from './batch/read-rows.ts';
import { sendCallback } from './callback/send-callback.ts';
import { startCallback } from './callback/start-callback.ts';
import { closedRuns } from './credit-gate/closed-runs.ts';
import { getBalance } from './credit-gate/get-balance.ts';
import { enterCreditGate, leaveCreditGate } from './credit-gate/parking.ts';
import { checkPlace } from './darkroom-check/check-place.ts';
import type { ActivityDeps } from './deps.ts';
import { accountedTasks } from './generation/accounted-tasks.ts';
import { earlierTask } from './generation/bought-before.ts';
import { checkGeneration } from './generation/check-generation.ts';
import { judgeTask } from './generation/judge-task.ts';
import { lookAtTask } from './generation/look-at-task.ts';
import { submitTask } from './generation/submit-task.ts';
import { toldUntil } from './parents/told-until.ts';
import { boughtSteps } from './pipeline/bought-steps.ts';
import { checkPipelineWithReuse } from './pipeline/check-reuse.ts';
import { lookAtGeneration } from './pipeline/look-at-generation.ts';
import { lookAtPipeline } from './pipeline/look-at-pipeline.ts';
import { reachOutputs } from './pipeline/reach-outputs.ts';
import { roundOfAttempt } from './pipeline/round-of-attempt.ts';
import { saidOfStep } from './pipeline/said-of-step.ts';
import { surveyPaid } from './pipeline/survey-paid.ts';
import { surveySteps } from './pipeline/survey-steps.ts';
import { takeReusable } from './pipeline/take-reusable.ts';
import { checkClaims } from './unclaimed-tasks/check-claims.ts';
import { requestClaim, withdrawClaim } from './unclaimed-tasks/claims.ts';
import { surveyTasks } from './unclaimed-tasks/survey-tasks.ts';
import { takeTaskNames } from './unclaimed-tasks/take-task-names.ts';
import { tellProof } from './unclaimed-tasks/tell-proof.ts';
import { withWellFormedFailures } from './well-formed-failures.ts';

/**
 * The activities as Temporal knows them, bound to what they reach out to. The worker registers all of them on
 * its task queue, and on the queue for submits those that submit, `checkPlace` and `passSubmitQueue` alone.
 */
export function createActivities(deps: ActivityDeps): DarkroomActivities {
  const submit: DarkroomActivities['submitTask'] = async (request) => ({
    ...(await submitTask(deps, request)),
    ...ifRerun(request),
  });
  return withWellFormedFailures({
    checkCallback: async (callback) => listErrors(checkCallback(callback, deps.callbacks)),
    startCallback: (request) => startCallback(deps.temporal, request),
    sendCallback: (request) => sendCallback(deps, request),
    checkGeneration: (request) => checkGeneration(deps, request),
    submitTask: submit,
    adoptTask: submit,
    earlierTask: async (request) => ({ ...(await earlierTask(deps, request)), ...ifRerun(request) }),
    judgeTask: (task) => judgeTask(deps, task),
    lookAtTask: async (request) => ({ ...(await lookAtTask(deps, request)), ...ifRerun(request) }),
    accountedTasks: (earlier) => accountedTasks(deps, earlier),
    requestClaim: (request) => requestClaim(deps, request),
    withdrawClaim: (request) => withdrawClaim(deps, request),
    enterCreditGate: (request) => enterCreditGate(deps, request),
    leaveCreditGate: (request) => leaveCreditGate(deps, request),
    checkPipeline: (request, firstRunId, parent) =>
      checkPipelineWithReuse(deps, request, { firstRunId, parent }),
    lookAtGeneration: (look) => lookAtGeneration(deps, look),
    roundOfAttempt: () => roundOfAttempt(deps.temporal),
    lookAtPipeline: (look) => lookAtPipeline(deps.temporal, look),
    surveySteps: (survey) => surveySteps(deps, survey),
    surveyPaid: (things) => surveyPaid(deps, things),
    saidOfStep: ({ step }) => saidOfStep(deps.temporal, step),
    boughtSteps: (pipeline) => boughtSteps(deps, pipeline),
    reachOutputs: (outputs) => reachOutputs(deps, outputs),
    findReusable: (step) => takeReusable(deps, step),
    readRows: (page) => readRows(deps.temporal, page),
    accountedRows: (batch) => toldUntil(deps.temporal, batch),
    bookParts: (bookings, of) => bookParts(deps, bookings, of),
    surveyRows: (rows) => surveyRows(deps, rows),
    lookAtRow: (row) => lookAtRow(deps, row),
    surveyTasks: (survey) => surveyTasks(deps, survey),
    takeTaskNames: (names) => takeTaskNames(deps, names),
    checkClaims: (claims) => checkClaims(deps.temporal, claims),
    tellProof: (proof) => tellProof(deps, proof),
    getBalance: (request) => getBalance(deps, request),
    closedRuns: (runs) => closedRuns(deps.temporal, runs),
    auditPurchases: (purchases) => auditPurchases(deps, purchases),
    hasRuns: (workflowId) => hasRuns(deps, workflowId),
    applySubmitRate: (rate) => deps.rates.apply(rate),
    checkPlace: () => checkPlace(deps),
    passSubmitQueue: async () => undefined,
  });
}

/** Tells a run that there are earlier runs of its workflow id. */
function ifRerun({ firstRunId }: { firstRunId: string }): { rerun?: true } {
  return Context.current().info.workflowExecution?.runId === firstRunId ? {} : { rerun: true };
}
