import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import { cut } from '../../api/text/cut.ts';
import { type BatchRow, ROW_MEMO } from '../../contract/batch.ts';
import type { PipelineResult, StepItem } from '../../contract/pipeline.ts';
import { itemsOf } from '../../contract/steps/step-items.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { wholeOutputs } from '../files/whole-outputs.ts';
import { followResult } from '../following/follow-result.ts';
import { type Known, readKnown } from './known-rows.ts';

/** `NO_LONGER_KNOWN`: it was, and the server has deleted its run. */
const UNTOLD = ['NOT_STARTED', 'NO_LONGER_KNOWN'] as const;

/** Whether a line tells nothing of what a row has made. */
export function isUntold(status: unknown): boolean {
  return UNTOLD.some((one) => one === status);
}

/** What has become of a row: one line of `results.jsonl`. */
export interface RowResult {
  id: string;
  row: Record<string, unknown>;
  status: PipelineResult['status'] | (typeof UNTOLD)[number];
  workflowId: string;
  /** By step: its files, each with its URL and where it is stored. */
  outputs: Record<string, { url: string; stored: string }[]>;
  usage: Usage;
  failure: { type: string; message: string } | null;
}

/** So many rows are asked for at once. */
const AT_ONCE = 20;
/** Of the generations of all of them. */
const reads = pLimit(AT_ONCE);
/** Characters of what a row has failed with. */
const LONGEST_MESSAGE = 1_000;

/** What has become of each row, in their order, some at a time; one that runs is waited for. */
export async function* rowResults(
  client: Client,
  batchId: string,
  { rows, first }: { rows: readonly BatchRow[]; first: number },
  signal?: AbortSignal,
): AsyncGenerator<RowResult[], void, undefined> {
  let known: Promise<Known> | undefined;
  const goneAt = async (place: number, { id, digest }: BatchRow): Promise<Gone> => {
    known ??= readKnown(client, batchId);
    const { begun, completed } = await known;
    const row = { workflowId: `${batchId}/${id}`, digest };
    if (!begun(place, row)) return { status: 'NOT_STARTED', failure: null };
    return { status: 'NO_LONGER_KNOWN', failure: isGone(row.workflowId, completed(place, row)) };
  };
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    signal?.throwIfAborted();
    const some = rows.slice(at, at + AT_ONCE);
    yield await Promise.all(
      some.map((row, index) => {
        const gone = (): Promise<Gone> => goneAt(first + at + index, row);
        return rowResult(client, batchId, row, { signal, gone });
      }),
    );
  }
}

type Gone = Pick<RowResult, 'status' | 'failure'>;

async function rowResult(
  client: Client,
  batchId: string,
  { id, values, digest }: BatchRow,
  { signal, gone }: { signal: AbortSignal | undefined; gone: () => Promise<Gone> },
): Promise<RowResult> {
  const workflowId = `${batchId}/${id}`;
  const line = { id, row: values };
  const run = await describeRun(client, workflowId);
  if (run === undefined) return { ...line, workflowId, ...NOTHING_MADE, ...(await gone()) };
  if (run.memo?.[ROW_MEMO] !== digest)
    return { ...line, status: 'FAILED', workflowId, ...NOTHING_MADE, failure: idInUse(workflowId) };
  const outcome = await followResult(client, workflowId, run.runId, signal);
  if (outcome.ok) {
    const result = outcome.result as PipelineResult; // its own type
    const made = await madeBy(client, result);
    return { ...line, status: result.status, workflowId, ...made, failure: null };
  }
  const { type, message, details } = outcome.failure;
  return {
    ...line,
    status: 'FAILED',
    workflowId,
    ...(await madeBy(client, details as Partial<PipelineResult> | null)), // PIPELINE_FAILED brings the result along
    failure: { type, message: cut(message, LONGEST_MESSAGE) },
  };
}

const NOTHING_MADE = { outputs: {}, usage: NO_USAGE };

/** What another row has made is not this one's, whatever their ids. */
function idInUse(workflowId: string): NonNullable<RowResult['failure']> {
  const message = `${workflowId} was started for another input: give a row that has changed an id of its own, or start the batch under another key`;
  return { type: 'KEY_IN_USE', message };
}

function isGone(workflowId: string, isCompleted: boolean): NonNullable<RowResult['failure']> {
  const what = isCompleted ? 'was completed' : 'was started';
  const message = `${workflowId} ${what}, and the server has deleted its run: it is not bought again. To buy it anew, give the row another id, or start it in a batch of another key`;
  return { type: 'NO_LONGER_KNOWN', message };
}

async function madeBy(
  client: Client,
  result: Partial<PipelineResult> | null,
): Promise<Pick<RowResult, 'outputs' | 'usage'>> {
  const outputs = await Promise.all(
    Object.entries(result?.steps ?? {}).map(async ([name, step]) => {
      const files = await Promise.all(itemsOf(step).map((item) => filesOf(client, item)));
      return [name, files.flat()] as const;
    }),
  );
  return {
    outputs: Object.fromEntries(outputs.filter(([, files]) => files.length > 0)),
    usage: result?.usage ?? NO_USAGE,
  };
}

async function filesOf(client: Client, item: StepItem): Promise<{ url: string; stored: string }[]> {
  if (item.status !== 'COMPLETED') return [];
  const outputs = await reads(() => wholeOutputs(client, item));
  return outputs.map(({ url, stored }) => ({ url, stored: stored.uri }));
}
