import { Readable } from 'node:stream';
import { Context } from '@temporalio/activity';
import type { OutputAsset } from '../../api/records/output-assets.ts';
import { AT_FILES, type StoreTaskReport, type StoreTrouble } from '../../contract/tasks/task-look.ts';
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
 * One try to store all outputs of a task, each under the key of `outputKeyBase`. It waits for nobody:
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
    return await storeTask(assets, (file) => outputKeyBase({ ...task, file }), {
      store: deps.store,
      downloads: deps.downloads,
      options: { signal: context.cancellationSignal, onProgress },
      within,
    });
  } finally {
    clearInterval(beat);
  }
}

/** Stores a record's `data` beside the outputs, as JSON: it is too large for a workflow's result. */
export async function storeData(
  deps: Stores,
  task: TaskOfWorkflow,
  data: unknown,
): Promise<{ dataUri: string } | StoreTrouble> {
  const key = `${outputKeyBase({ ...task, file: 'data' })}.json`;
  const source = Readable.from([Buffer.from(JSON.stringify(data))]);
  try {
    return { dataUri: (await deps.store.put(key, source, { contentType: 'application/json' })).uri };
  } catch (error) {
    if (error instanceof OutputError) return troubleOf(error);
    throw error;
  }
}
