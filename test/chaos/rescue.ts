import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { FailureDetails } from '../../src/contract/generation.ts';
import { resetRun } from '../reset-run.ts';
import type { DisturbanceLog } from './disturbance-log.ts';
import type { StormPlan } from './plan.ts';
import { type Stage, TASK_QUEUE } from './stage.ts';
import { untilDone } from './until-done.ts';

/**
 * What an operator does after a storm. Tasks that hung are brought to their end, and the overdue runs are Reset: each
 * has to adopt its task. Then pipelines, a batch's rows among them, are Reset that failed over a step which was Reset:
 * they have to take it over.
 */
export async function rescue(
  stage: Stage,
  plan: StormPlan,
  log: DisturbanceLog,
  patience: number,
  say: (line: string) => void,
): Promise<void> {
  const { client, emulator } = stage;
  const reset = async (workflowId: string): Promise<void> => {
    const at = await resetRun(client, workflowId, 0);
    if (at === undefined) return;
    log.reset(workflowId, at);
    log.count('run.reset');
  };
  const tasks = new Map((await emulator.tasks()).map((task) => [task.id, task]));
  let rescued = 0;
  for (const [workflowId, { details }] of await failedWith(client, 'generation', 'TASK_OVERDUE')) {
    const detail = details?.[0] as FailureDetails | undefined; // the contract's detail
    // Not the task that was bought for it: of twins, one may hold the other's.
    const task = tasks.get(detail?.attempts.at(-1)?.taskId ?? '');
    if (task?.fate.kind !== 'hang') continue;
    // It may have been brought to its end in the very moment in which its run gave up.
    if (task.status !== 'COMPLETED') await emulator.finishTask(task.id);
    await reset(workflowId);
    log.count('overdue run.rescued');
    rescued += 1;
  }
  if (rescued > 0) await untilDone(client, patience, say);
  const failed = await failedWith(client, 'pipeline', 'PIPELINE_FAILED');
  const again = new Set(
    plan.generations.flatMap(({ workflowId, pipeline }) =>
      pipeline !== undefined && failed.has(pipeline) && log.wasReset(workflowId) ? [pipeline] : [],
    ),
  );
  for (const workflowId of again) await reset(workflowId);
  if (again.size > 0) await untilDone(client, patience, say);
}

/** The failures of that type that workflows ended with, by workflow id; of their latest runs. */
async function failedWith(
  client: Client,
  workflowType: string,
  failure: string,
): Promise<Map<string, ApplicationFailure>> {
  const failed = new Map<string, ApplicationFailure>();
  const query = `TaskQueue = '${TASK_QUEUE}' AND WorkflowType = '${workflowType}' AND ExecutionStatus = 'Failed'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const error: unknown = await client.workflow
      .getHandle(workflowId)
      .result()
      .catch((reason: unknown) => reason);
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    if (cause instanceof ApplicationFailure && cause.type === failure) failed.set(workflowId, cause);
  }
  return failed;
}
