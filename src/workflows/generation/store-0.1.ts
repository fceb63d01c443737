import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { outputAssets } from '../../api/output-assets.ts';
import type { StoreReport } from '../../contract/task-look.ts';
import { local, storeActivity, summary } from './activities.ts';
import type { GenerationRun } from './run.ts';

/** How often a fresh record is asked for when its URLs have expired. */
const MAX_FRESH_RECORDS = 3;

/** Stores what a completed task made, for a run that was started with release 0.1. */
export async function storeAsIn01(
  run: GenerationRun,
  taskId: string,
  recorded: unknown,
): Promise<StoreReport> {
  let data = recorded;
  for (let refreshed = 0; ; refreshed += 1) {
    const assets = outputAssets(data);
    if (assets.length === 0) return { kind: 'stored', data, outputs: [] };
    try {
      const activity = storeActivity(summary(`store ${assets.length} output(s) of ${taskId}`));
      const outputs = await activity.storeOutputs({ taskId, workspace: run.workspace, assets });
      return { kind: 'stored', data, outputs };
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : undefined;
      if (!(cause instanceof ApplicationFailure)) throw error;
      if (cause.type !== 'OutputGone' || refreshed >= MAX_FRESH_RECORDS) {
        return { kind: 'refused', reason: cause.message, url: null };
      }
      const report = await local.getTask({ taskId, workspace: run.workspace });
      if (report.kind === 'record' && report.status === 'COMPLETED') data = report.data;
    }
  }
}
