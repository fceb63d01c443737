import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { isRecord } from '../../api/json/is-record.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { predecessorOf, readStart } from '../../temporal/history.ts';
import { type LatestRun, readLatestRun } from '../../temporal/latest-run.ts';
import { resetPoints, resetRun } from '../../temporal/reset-run.ts';
import { NotFollowableError } from '../failures/not-followable-error.ts';
import { RerunRefusedError } from '../failures/rerun-refused-error.ts';
import { followResult } from '../following/follow-result.ts';
import { wanted } from './rerun.ts';
import { startAgain } from './start-or-attach.ts';

/**
 * Tries what has failed again, under its id, and keeps what is paid for. What runs, because somebody else was quicker say,
 * and what has completed stays as it is.
 *
 * @throws WorkflowNotFoundError, NotFollowableError
 */
export async function retryRun(client: Client, workflowId: string): Promise<void> {
  const earlier = await readLatestRun<unknown>(client, workflowId);
  if (earlier === undefined) throw new WorkflowNotFoundError('there is no run', workflowId, undefined);
  const { type, request, taskQueue } = earlier;
  if (type !== 'generation' && type !== 'pipeline') throw new NotFollowableError(workflowId, type);
  if (!earlier.isClosed) return;
  if (request === undefined) throw new RerunRefusedError(`${workflowId} was started without a request`);
  if (earlier.status === 'COMPLETED' && !(await isPartial(client, workflowId, earlier.runId))) return;
  // Each with the argument of its type.
  const start =
    type === 'generation'
      ? ({ kind: type, workflowId, taskQueue, request: wanted(request as GenerationRequest) } as const)
      : ({ kind: type, workflowId, taskQueue, request: request as PipelineRequest } as const);
  if (type === 'pipeline' && (await isReset(client, workflowId, earlier))) return;
  await startAgain(client, start, earlier).catch((error: unknown) => {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error; // somebody else was quicker
  });
}

/** Whether a pipeline has completed without some of its steps: with `allowPartial`. */
async function isPartial(client: Client, workflowId: string, runId: string): Promise<boolean> {
  const outcome = await followResult(client, workflowId, runId);
  return (
    outcome.ok &&
    isRecord(outcome.result) &&
    outcome.result['status'] !== 'COMPLETED' &&
    'steps' in outcome.result
  );
}

/**
 * A Reset keeps what people have said of the steps. It begins where its run has begun: one that went on for another, whose
 * history had become long, is started anew instead, and so is one that was ended before it had begun.
 */
async function isReset(client: Client, workflowId: string, { runId }: LatestRun<unknown>): Promise<boolean> {
  const start = await readStart(client, workflowId, runId);
  if (predecessorOf(start)?.why === 'continued') return false;
  const [first] = await resetPoints(client, { workflowId, runId });
  if (first === undefined) return false;
  await resetRun(client, { workflowId, runId }, first, 'retried', `retry-${runId}`);
  return true;
}
