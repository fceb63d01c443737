import { Readable } from 'node:stream';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { OutputAsset } from '../../api/output-assets.ts';
import type { GenerationOutput } from '../../contract/generation.ts';
import {
  AT_FILES,
  type StoreOutputsInput,
  type StoreTaskReport,
  type StoreTrouble,
} from '../../contract/task-look.ts';
import { OutputError } from '../../outputs/output-errors.ts';
import { outputKeyBase } from '../../outputs/output-key.ts';
import { storeTask, troubleOf } from '../../outputs/store-task.ts';
import type { ActivityDeps } from '../deps.ts';

type Stores = Pick<ActivityDeps, 'store' | 'downloads'>;

interface TaskOfWorkflow {
  workspace: string;
  workflowId: string;
  taskId: string;
}

const HEARTBEAT = 5_000;

/**
 * One try to store all outputs of a task, each under `<workspace>/<workflow id>/<task id>-<index>`. It waits for nobody:
 * pauses between tries, and how long they go on, are the workflow's. A repeated try finds what is already there.
 *
 * @param within milliseconds that it may take; what takes longer, or is large, is `delayed`
 */
export async function storeTaskOutputs(
  deps: Stores,
  { assets, ...task }: TaskOfWorkflow & { assets: readonly OutputAsset[] },
  within?: number,
): Promise<StoreTaskReport> {
  const context = Context.current();
  const onProgress = (): void => context.heartbeat(AT_FILES);
  // Before anything is touched: if a file ends this worker, the run gets to know that it was one.
  onProgress();
  const beat = setInterval(onProgress, HEARTBEAT);
  try {
    return await storeTask(assets, (index) => outputKeyBase({ ...task, index }), {
      store: deps.store,
      downloads: deps.downloads,
      options: { signal: context.cancellationSignal, onProgress },
      within,
    });
  } finally {
    clearInterval(beat);
  }
}

/** Client errors by their range that in truth ask for another try. */
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 421, 425, 429]);

/**
 * The same as runs of release 0.1 know it: troubles are failures, and Temporal repeats the try.
 *
 * @throws ApplicationFailure of type `OutputGone` for a client error, which asks for a fresh record; `OutputRefused`,
 *   neither of them retryable; `OutputTransient`
 */
export async function storeOutputs(deps: Stores, request: StoreOutputsInput): Promise<GenerationOutput[]> {
  const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
  const report = await storeTaskOutputs(deps, { ...request, workflowId });
  if (report.kind === 'stored') return report.outputs;
  const { kind, reason, status = 0, retryAfter } = report;
  const gone = kind === 'gone' || (status >= 400 && status < 500 && !TRANSIENT_STATUS.has(status));
  throw ApplicationFailure.create({
    type: kind === 'refused' ? 'OutputRefused' : gone ? 'OutputGone' : 'OutputTransient',
    message: reason,
    nonRetryable: gone || kind === 'refused',
    ...(retryAfter === undefined ? {} : { nextRetryDelay: retryAfter }),
  });
}

/** Stores a record's `data` beside the outputs, as JSON: it is too large for a workflow's result. */
export async function storeData(
  deps: Stores,
  task: TaskOfWorkflow,
  data: unknown,
): Promise<{ dataUri: string } | StoreTrouble> {
  const key = `${outputKeyBase({ ...task, index: 'data' })}.json`;
  const source = Readable.from([Buffer.from(JSON.stringify(data))]);
  try {
    return { dataUri: (await deps.store.put(key, source, { contentType: 'application/json' })).uri };
  } catch (error) {
    if (error instanceof OutputError) return troubleOf(error);
    throw error;
  }
}
