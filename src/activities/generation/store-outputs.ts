import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { StoreOutputsInput } from '../../contract/activities.ts';
import type { GenerationOutput } from '../../contract/generation.ts';
import { OutputError, OutputTransient } from '../../outputs/output-errors.ts';
import { outputKeyBase } from '../../outputs/output-key.ts';
import { storeOutput } from '../../outputs/store-output.ts';
import type { ActivityDeps } from '../deps.ts';

/**
 * Stores all outputs of a task, side by side, each under `<workspace>/<workflow id>/<task id>-<index>`. A repeated
 * try finds what is already there.
 *
 * @throws ApplicationFailure whose type is the OutputError's name (`OutputGone`: the URL has expired); retryable
 *   where the error is
 */
export async function storeOutputs(
  deps: ActivityDeps,
  request: StoreOutputsInput,
): Promise<GenerationOutput[]> {
  const context = Context.current();
  const workflowId = context.info.workflowExecution?.workflowId ?? '';
  const { workspace, taskId } = request;
  const onProgress = (): void => context.heartbeat();
  const beat = setInterval(onProgress, 5_000);
  // All end with the first failure: the next try finds those that were stored.
  const stop = new AbortController();
  const signal = AbortSignal.any([context.cancellationSignal, stop.signal]);
  try {
    const { store, downloads } = deps;
    const stored = request.assets.map((asset, index) =>
      storeOutput(asset, outputKeyBase({ workspace, workflowId, taskId, index }), {
        store,
        downloads,
        options: { signal, onProgress },
      }),
    );
    return await Promise.all(stored);
  } catch (error) {
    stop.abort(error);
    if (!(error instanceof OutputError)) throw error;
    throw ApplicationFailure.create({
      type: error.name,
      message: error.message,
      nonRetryable: !error.retryable,
      ...(error instanceof OutputTransient && error.retryAfter !== undefined
        ? { nextRetryDelay: error.retryAfter }
        : {}),
    });
  } finally {
    clearInterval(beat);
  }
}
