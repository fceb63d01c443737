import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { outputAssets } from '../../api/output-assets.ts';
import type { TaskReport } from '../../contract/activities.ts';
import type { GenerationOutput, GenerationResult } from '../../contract/generation.ts';
import { local, storeActivity, summary } from './activities.ts';
import { generationFailure } from './failure.ts';
import type { Steps } from './generation.ts';
import type { GenerationRun, HeldTask } from './run.ts';

type TaskRecord = Extract<TaskReport, { kind: 'record' }>;

/** How often a fresh record is asked for when its URLs have expired. */
const FRESH_RECORDS = 3;

/**
 * Stores what a completed task made, as a part of its completion, because the API's URLs may expire; an expired
 * one is asked for anew by one more GET.
 */
export async function storeResult(
  { run }: Steps,
  task: HeldTask,
  record: TaskRecord,
  settledBy: 'webhook' | 'poll',
): Promise<GenerationResult> {
  run.settle(task, 'completed', settledBy);
  run.enter('storing');
  const { data, outputs } = await storeOutputs(run, task.taskId, record.data);
  run.enter('done');
  return {
    taskId: task.taskId,
    model: run.request.model,
    status: 'COMPLETED',
    data,
    outputs,
    usage: run.usage(),
    attempts: run.attempts,
  };
}

async function storeOutputs(
  run: GenerationRun,
  taskId: string,
  recorded: unknown,
): Promise<{ data: unknown; outputs: GenerationOutput[] }> {
  let data = recorded;
  for (let refreshed = 0; ; refreshed += 1) {
    const assets = outputAssets(data);
    if (assets.length === 0) return { data, outputs: [] };
    try {
      const activity = storeActivity(summary(`store ${assets.length} output(s) of ${taskId}`));
      return { data, outputs: await activity.storeOutputs({ taskId, workspace: run.workspace, assets }) };
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : undefined;
      if (!(cause instanceof ApplicationFailure)) throw error;
      if (cause.type !== 'OutputGone' || refreshed >= FRESH_RECORDS) {
        throw generationFailure(
          run,
          'OUTPUT_UNAVAILABLE',
          `task ${taskId} is done and paid for, but its output cannot be fetched: ${cause.message}`,
        );
      }
      const report = await local.getTask({ taskId, workspace: run.workspace });
      if (report.kind === 'record' && report.status === 'COMPLETED') data = report.data;
    }
  }
}
