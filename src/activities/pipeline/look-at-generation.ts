import type { Client } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { FoundGeneration, GenerationLook, LookedAt, StepToFind } from '../../contract/step-look.ts';
import type { PaidTask } from '../../contract/told-tasks.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { likeness, originsOf } from '../../temporal/reuse/same-step.ts';
import { outcomeOf, type RunOutcome } from './outcome-of.ts';
import { tasksOfRuns } from './tasks-of-runs.ts';

/**
 * One short look at the generation of a step: whether there is one, how it stands, what it made. It never waits, so it
 * holds no slot that the generation's own activities need. One that is Reset goes on in another run, and is looked at
 * there.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs: Temporal looks again, later and later
 */
export async function lookAtGeneration(client: Client, look: GenerationLook): Promise<LookedAt> {
  const run = await readLatestRun<GenerationRequest>(client, look.workflowId);
  if (run === undefined) return { kind: 'missing' };
  const { runId, request, isClosed, startedAt } = run;
  const origins = originsOf(run.memo);
  const alike = look.asItIs === true ? 'same' : likeness({ request, origins }, look);
  const paid = async (outcome: RunOutcome): Promise<{ tasks?: PaidTask[] }> =>
    look.costs === true ? { tasks: await tasksOfRuns(client, look.workflowId, { runId, outcome }) } : {};
  if (alike === 'different') {
    if (!isClosed || look.costs !== true) return { kind: 'different', isRunning: !isClosed };
    const other = await outcomeOf(client, look.workflowId, runId);
    return { kind: 'different', isRunning: false, ...(await paid(other)) };
  }
  const started = {
    runId,
    startedAt,
    ...(alike === 'same' ? {} : { other: { input: request?.input ?? {}, origins } }),
  };
  if (!isClosed) {
    if (look.wait && alike === 'same') throw stillRunning(look.workflowId);
    const { state } = run;
    return { kind: 'running', ...(state === undefined ? {} : { state }), ...started };
  }
  const outcome = await outcomeOf(client, look.workflowId, runId);
  const ended = { ...started, ...(await paid(outcome)) };
  return 'result' in outcome
    ? { kind: 'completed', result: outcome.result, ...ended }
    : { kind: 'failed', failure: outcome.failure, ...ended };
}

/** The same for pipelines that release 0.1 has started: it knew only generations that had ended. */
export async function awaitGeneration(client: Client, step: StepToFind): Promise<FoundGeneration> {
  const found = await lookAtGeneration(client, { ...step, wait: true });
  if (found.kind === 'completed') return { kind: 'completed', result: found.result };
  return found.kind === 'failed' ? { kind: 'failed', runId: found.runId } : { kind: 'different' };
}

/** No failure that anybody has to hear of: it is how Temporal is told to look again. */
export function stillRunning(workflowId: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'STILL_RUNNING',
    message: `${workflowId} still runs: it is looked at again, later and later`,
    category: ApplicationFailureCategory.BENIGN,
  });
}
