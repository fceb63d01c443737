import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { OutputAsset } from '../api/output-assets.ts';
import type { GenerationOutput } from '../workflows/contract.ts';
import type { ActivityDeps } from './deps.ts';

export interface StoreOutputsInput {
  taskId: string;
  workspace: string;
  assets: OutputAsset[];
}

/** Failures of a download that no further try can mend, by the error's name, with the failure's type. */
const FINAL: Readonly<Record<string, string>> = {
  OutputGone: 'OUTPUT_GONE',
  OutputRefused: 'OUTPUT_REFUSED',
};

/**
 * Stores all outputs of a task, side by side, each under `<workspace>/<workflow id>/<task id>-<index>`. A repeated
 * try finds what is already there.
 *
 * @throws ApplicationFailure `OUTPUT_GONE` (the URL has expired) or `OUTPUT_REFUSED` (it may not be fetched), not
 *   retryable; anything else is retried by Temporal
 */
export async function storeOutputs(deps: ActivityDeps, request: StoreOutputsInput): Promise<GenerationOutput[]> {
  const context = Context.current();
  const workflowId = context.info.workflowExecution?.workflowId ?? '';
  const hooks = { signal: context.cancellationSignal, onProgress: () => context.heartbeat() };
  const beat = setInterval(hooks.onProgress, 5_000);
  try {
    return await Promise.all(
      request.assets.map((asset, index) =>
        deps.storeOutput(asset, [request.workspace, workflowId, `${request.taskId}-${index}`], hooks),
      ),
    );
  } catch (error) {
    const type = error instanceof Error ? FINAL[error.name] : undefined;
    if (type === undefined) throw error;
    const { message } = error as Error; // it has a name in the table above
    throw ApplicationFailure.create({ type, message, nonRetryable: true });
  } finally {
    clearInterval(beat);
  }
}
