import { Context } from '@temporalio/activity';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import type { GenerationLook, LookedAt } from '../../contract/steps/step-look.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { likeness, originsOf } from '../../temporal/reuse/same-step.ts';
import type { ActivityDeps } from '../deps.ts';
import { endedBefore } from '../parents/ended-before.ts';
import { stillRunning } from '../parents/still-running.ts';
import { outcomeOf } from './outcome-of.ts';

/**
 * One short look at the generation of a step: whether there is one, how it stands, what it made. It never waits, so it
 * holds no slot that the generation's own activities need. One that is Reset goes on in another run, and is looked at
 * there. Of one that the server has deleted the histories of the workflow that asks may tell.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs: Temporal looks again, later and later
 */
export async function lookAtGeneration(
  deps: Pick<ActivityDeps, 'temporal' | 'children'>,
  look: GenerationLook,
): Promise<LookedAt> {
  const client = deps.temporal;
  const run = await readLatestRun<GenerationRequest>(client, look.workflowId);
  if (run === undefined) return look.wait ? { kind: 'missing' } : await lookAtDeleted(deps, look);
  const { runId, request, isClosed, startedAt } = run;
  const origins = originsOf(run.memo);
  const alike = look.asItIs === true ? 'same' : likeness({ request, origins }, look);
  if (alike === 'different') return { kind: 'different', isRunning: !isClosed };
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
  return 'result' in outcome
    ? { kind: 'completed', result: outcome.result, ...started }
    : { kind: 'failed', failure: outcome.failure, ...started, ...(await endedBefore(client, run)) };
}

/** Nobody has written down how it ended: its id started again finds out, or asks. */
const UNTOLD = {
  type: 'SUBMISSION_UNKNOWN',
  message: 'the server has deleted the generation, and nobody can tell how it ended',
  details: null,
};

async function lookAtDeleted(
  { children }: Pick<ActivityDeps, 'children'>,
  look: GenerationLook,
): Promise<LookedAt> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  const { isOwn: isNamed = false } = look;
  const told = await children.told(
    { workflowId, runId, again: true },
    { workflowId: look.workflowId, isNamed },
  );
  // Started, it finds out by itself what is not told here.
  if (told === undefined || 'missing' in told || told.runId === undefined || told.request === undefined)
    return { kind: 'missing' };
  const { origins, startedAt, end } = told;
  const request = told.request as GenerationRequest; // a generation's argument
  const alike = look.asItIs === true ? 'same' : likeness({ request, origins }, look);
  if (alike === 'different') return { kind: 'different', isRunning: false };
  const other = alike === 'same' ? {} : { other: { input: request.input, origins } };
  const ended = { runId: told.runId, startedAt, ...other };
  if (end === undefined) return { kind: 'failed', failure: UNTOLD, ...ended };
  return 'result' in end
    ? { kind: 'completed', result: end.result as GenerationResult, ...ended } // of a generation
    : { kind: 'failed', failure: end.failure, ...ended };
}
