import { type Client, WorkflowFailedError } from '@temporalio/client';
import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import { type BatchRow, ROW_MEMO } from '../../contract/batch.ts';
import type { PipelineResult, StepFailure, StepItem } from '../../contract/pipeline.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { itemsOf } from '../../contract/steps/step-items.ts';
import { describeRun } from '../../temporal/describe-run.ts';

/** What has become of a row: one line of `results.jsonl`. */
export interface RowResult {
  id: string;
  row: Record<string, unknown>;
  status: PipelineResult['status'] | 'NOT_STARTED';
  workflowId: string;
  /** By step: its files, each with its URL and where it is stored. */
  outputs: Record<string, { url: string; stored: string }[]>;
  usage: Usage;
  failure: { type: string; message: string } | null;
}

/** So many rows are asked for at once. */
const AT_ONCE = 20;

/** What has become of each row, in their order, some at a time; one that runs is waited for. */
export async function* rowResults(
  client: Client,
  batchId: string,
  rows: readonly BatchRow[],
  signal?: AbortSignal,
): AsyncGenerator<RowResult[], void, undefined> {
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    signal?.throwIfAborted();
    const some = rows.slice(at, at + AT_ONCE);
    yield await Promise.all(some.map((row) => rowResult(client, batchId, row)));
  }
}

async function rowResult(
  client: Client,
  batchId: string,
  { id, values, digest }: BatchRow,
): Promise<RowResult> {
  const workflowId = `${batchId}/${id}`;
  const line = { id, row: values };
  const run = await describeRun(client, workflowId);
  if (run === undefined)
    return { ...line, status: 'NOT_STARTED', workflowId, ...NOTHING_MADE, failure: null };
  if (run.memo?.[ROW_MEMO] !== digest)
    return { ...line, status: 'FAILED', workflowId, ...NOTHING_MADE, failure: idInUse(workflowId) };
  try {
    const handle = client.workflow.getHandle(workflowId, run.runId);
    const result = (await handle.result()) as PipelineResult; // its own type
    return { ...line, status: result.status, workflowId, ...madeBy(result), failure: null };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { type, message, details } = stepFailure(error.cause);
    return {
      ...line,
      status: 'FAILED',
      workflowId,
      ...madeBy(details as Partial<PipelineResult> | null), // PIPELINE_FAILED brings the result along
      failure: { type, message },
    };
  }
}

const NOTHING_MADE = { outputs: {}, usage: NO_USAGE };

/** What another row has made is not this one's, whatever their ids. */
function idInUse(workflowId: string): NonNullable<RowResult['failure']> {
  const message = `${workflowId} was started for another input: give a row that has changed an id of its own, or start the batch under another key`;
  return { type: 'KEY_IN_USE', message };
}

function madeBy(result: Partial<PipelineResult> | null): Pick<RowResult, 'outputs' | 'usage'> {
  const steps = Object.entries(result?.steps ?? {});
  const outputs = steps.map(([name, step]) => [name, itemsOf(step).flatMap(filesOf)] as const);
  return {
    outputs: Object.fromEntries(outputs.filter(([, files]) => files.length > 0)),
    usage: result?.usage ?? NO_USAGE,
  };
}

function filesOf(
  item: StepItem | { status: string; failure: StepFailure },
): { url: string; stored: string }[] {
  if (!('result' in item)) return [];
  return item.result.outputs.map(({ url, stored }) => ({ url, stored: stored.uri }));
}
