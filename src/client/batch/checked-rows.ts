import type { ModelOverrides } from '../../api/models/override.ts';
import { NO_USAGE } from '../../api/records/usage.ts';
import { anyWorker } from '../../contract/checks/any-worker.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { failureError } from '../failures/failure-error.ts';
import { type PreparedRows, prepareRows, RowsRefused } from './prepare-rows.ts';

/**
 * The rows of a batch, each checked as the pipeline that it makes.
 *
 * @param models what the worker's DARKROOM_CONFIG says of them; undefined where that is not known
 * @throws InvalidRequestError
 */
export function checkedRows(
  workflowId: string,
  pipeline: PipelineRequest,
  rows: readonly Record<string, unknown>[],
  {
    rowKey,
    models = anyWorker(undefined).models,
  }: { rowKey: string | undefined; models: ModelOverrides | undefined },
): PreparedRows {
  const given = rows.map((values, index) => ({ values, place: `rows[${index}]` }));
  try {
    if (given.length === 0) throw new RowsRefused('there are no rows');
    return prepareRows(pipeline, given, { keyColumn: rowKey, keyOption: 'rowKey', models });
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error;
    const { message } = error;
    const errors = error.errors.length > 0 ? [...error.errors] : [{ path: 'rows', message }];
    const details = { attempts: [], usage: NO_USAGE, charged: NO_USAGE, errors };
    throw failureError({ kind: 'batch', workflowId, type: 'INVALID_REQUEST', message, details });
  }
}
