import { Readable } from 'node:stream';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { OutputAsset } from '../../api/output-assets.ts';
import type { StoreOutputsInput, StoreTaskReport } from '../../contract/activities.ts';
import type { GenerationOutput } from '../../contract/generation.ts';
import { OutputError, OutputGone, OutputRefused, OutputTransient } from '../../outputs/output-errors.ts';
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

/** Files that a local activity fetches; larger ones are an ordinary activity's (bytes). */
const SMALL = 16 * 1024 * 1024;

/**
 * Stores all outputs of a task, in one try. A repeated try finds what is already there.
 *
 * @param within milliseconds that it may take; what takes longer, or is large, is `delayed`
 */
export async function storeTaskOutputs(
  deps: ActivityDeps,
  task: { workspace: string; workflowId: string; taskId: string; assets: readonly OutputAsset[] },
  within?: number,
): Promise<StoreTaskReport> {
  const context = Context.current();
  const { workspace, workflowId, taskId, assets } = task;
  const onProgress = (): void => context.heartbeat();
  const beat = setInterval(onProgress, 5_000);
  const stop = new AbortController();
  const late = within === undefined ? [] : [AbortSignal.timeout(within)];
  const signal = AbortSignal.any([context.cancellationSignal, stop.signal, ...late]);
  try {
    const { store, downloads } = deps;
    const stored = assets.map((asset, index) =>
      storeOutput(asset, outputKeyBase({ workspace, workflowId, taskId, index }), {
        store,
        downloads,
        options: { signal, onProgress, ...(within === undefined ? {} : { maxBytes: SMALL }) },
      }),
    );
    return { kind: 'stored', outputs: await Promise.all(stored) };
  } catch (error) {
    stop.abort(error);
    if (late.some(({ aborted }) => aborted)) return { kind: 'delayed', reason: 'it takes longer', url: null };
    if (!(error instanceof OutputError)) throw error;
    const reason = error.message;
    if (error instanceof OutputRefused)
      return { kind: within === undefined ? 'refused' : 'delayed', reason, url: null };
    if (error instanceof OutputGone && error.status === 410) return { kind: 'gone', reason, url: null };
    const { retryAfter } = error instanceof OutputTransient ? error : {};
    return { kind: 'delayed', reason, url: null, ...(retryAfter === undefined ? {} : { retryAfter }) };
  } finally {
    clearInterval(beat);
  }
}

/** Stores a record's `data` beside the outputs, as JSON: it is too large for a workflow's result. */
export async function storeData(
  deps: ActivityDeps,
  { workspace, workflowId, taskId }: { workspace: string; workflowId: string; taskId: string },
  data: unknown,
): Promise<string> {
  const key = `${outputKeyBase({ workspace, workflowId, taskId, index: 'data' })}.json`;
  const source = Readable.from([Buffer.from(JSON.stringify(data))]);
  return (await deps.store.put(key, source, { contentType: 'application/json' })).uri;
}
