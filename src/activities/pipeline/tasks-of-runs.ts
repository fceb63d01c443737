import { type Client, WorkflowContinuedAsNewError } from '@temporalio/client';
import type { GenerationRequest } from '../../contract/generation.ts';
import { RUN_ID } from '../../contract/limits.ts';
import {
  mergeTasks,
  type PaidTask,
  paidTasksOf,
  type ToldTasks,
} from '../../contract/purchases/told-tasks.ts';
import { isNotFound } from '../../temporal/grpc-status.ts';
import { decode, readHistory, readStartIfThere, resetFrom } from '../../temporal/history.ts';
import { outcomeOf, type RunOutcome } from './outcome-of.ts';

/** Runs of one id that are asked, the latest ones. */
const MAX_RUNS = 50;
/** Milliseconds in which runs that have told nothing are asked what they did; all of them together. */
const PATIENCE = 20_000;

/**
 * The tasks that a generation has paid for that has ended: what its latest run tells, and the runs before it that this one
 * was to adopt from, or was Reset from. No list of the server's is asked: that may lag behind.
 */
export async function tasksOfRuns(
  client: Client,
  workflowId: string,
  latest: { runId: string; outcome: RunOutcome },
  onRun: () => void = () => undefined,
): Promise<PaidTask[]> {
  const until = Date.now() + PATIENCE;
  const told = [paidTasksOf(toldBy(latest.outcome))];
  const seen = new Set([latest.runId]);
  for (let runId = latest.runId; seen.size <= MAX_RUNS; ) {
    const before = await runBefore(client, workflowId, runId);
    if (before === undefined || seen.has(before)) break;
    seen.add(before);
    onRun();
    try {
      const outcome = await outcomeOf(client, workflowId, before, Math.max(0, until - Date.now()));
      told.push(paidTasksOf(toldBy(outcome)));
    } catch (error) {
      if (isNotFound(error)) break; // its retention has ended
      if (!(error instanceof WorkflowContinuedAsNewError)) throw error; // that one has handed on what it had
    }
    runId = before;
  }
  return mergeTasks(told);
}

/** The run that a run was Reset from, or was to adopt from. */
async function runBefore(client: Client, workflowId: string, runId: string): Promise<string | undefined> {
  const start = await readStartIfThere(client, workflowId, runId);
  if (start?.originalExecutionRunId && start.originalExecutionRunId !== runId)
    return resetFrom((await readHistory(client, workflowId, runId)) ?? []);
  const [request] = decode<[GenerationRequest]>(start?.input);
  const { earlierRun } = request ?? {};
  return typeof earlierRun === 'string' && RUN_ID.test(earlierRun) ? earlierRun : undefined;
}

function toldBy(outcome: RunOutcome): ToldTasks {
  return 'result' in outcome ? outcome.result : (outcome.failure.details ?? {}); // of a generation
}
