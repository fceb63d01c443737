import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import {
  type BatchPage,
  type BatchRequest,
  type BatchResult,
  type BatchRow,
  type CarriedBatch,
  type KnownRows,
  ROW_MEMO,
} from '../../contract/batch.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { Places } from '../../contract/places.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { decode, decodeFields, type HistoryEvent, readHistory } from '../../temporal/history.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';

/** Of a row by its place, or by its id and what it asks for: another request is another row. */
export type Known = { [What in keyof KnownRows]: (place: number, row: RowName) => boolean };

interface RowName {
  workflowId: string;
  digest: string;
}

/** Where no row is. */
const NOWHERE = -1;
/** So many pages are read at once. */
const AT_ONCE = 20;
const NOTHING: KnownRows = { begun: '', completed: '' };

/**
 * What the latest run of a batch knows of its rows, also of those whose runs the server has deleted: what it was handed on, or has
 * told in its end, and what it has started since.
 */
export async function readKnown(client: Client, workflowId: string): Promise<Known> {
  const { runId } = (await describeRun(client, workflowId)) ?? {};
  const events = (runId && (await readHistory(client, workflowId, runId))) || [];
  const [request, carried] = decode<[BatchRequest, CarriedBatch]>(
    events[0]?.workflowExecutionStartedEventAttributes?.input,
  );
  const [result] = decode<[BatchResult]>(events.at(-1)?.workflowExecutionCompletedEventAttributes?.result);
  const { begun, completed } = result?.known ?? carried?.known ?? request?.known ?? NOTHING;
  const places = { begun: new Places(begun), completed: new Places(completed) };
  const started = new Map(events.flatMap(startedIn));
  const ended = new Set(events.flatMap(completedIn));
  const isStarted = ({ workflowId: row, digest }: RowName): boolean => started.get(row) === digest;
  return {
    begun: (place, row) => places.begun.has(place) || isStarted(row),
    completed: (place, row) => places.completed.has(place) || (isStarted(row) && ended.has(row.workflowId)),
  };
}

function startedIn(event: HistoryEvent): [workflowId: string, digest: unknown][] {
  const { workflowId, memo } = event.startChildWorkflowExecutionInitiatedEventAttributes ?? {};
  return workflowId == null ? [] : [[workflowId, decodeFields(memo?.fields ?? {})[ROW_MEMO]]];
}

function completedIn({ childWorkflowExecutionCompletedEventAttributes: child }: HistoryEvent): string[] {
  const [result] = decode<[PipelineResult]>(child?.result); // a row is a pipeline
  const id = child?.workflowExecution?.workflowId;
  return result?.status === 'COMPLETED' && id != null ? [id] : [];
}

/** A batch's rows, in its pages. */
interface Paged {
  workflowId: string;
  pages: BatchRequest['pages'];
  rows: readonly BatchRow[];
}

/**
 * The same of the rows of a further run, which may be others, or in another order. A page is named for what is in it: one
 * that the earlier run had as well has the same rows; of other pages the earlier run's are read.
 *
 * @param before the pages of the earlier run
 */
export async function knownOf(
  client: Client,
  known: Known,
  before: BatchRequest['pages'],
  { workflowId, pages, rows }: Paged,
): Promise<KnownRows> {
  const [begun, completed] = [new Places(), new Places()];
  const earlier = placesOf(before);
  const now = placesOf(pages);
  const moved = await rowsOf(
    client,
    [...earlier].filter(([page]) => !now.has(page)),
  );
  for (const [page, { first, length }] of now) {
    const same = earlier.get(page);
    for (let place = first; place < first + length; place += 1) {
      const { id = '', digest = '' } = rows[place] ?? {};
      const was = same === undefined ? moved.get(nameOf({ id, digest })) : place - first + same.first;
      const row = { workflowId: `${workflowId}/${id}`, digest };
      if (!known.begun(was ?? NOWHERE, row)) continue;
      begun.add(place);
      if (known.completed(was ?? NOWHERE, row)) completed.add(place);
    }
  }
  return { begun: begun.toJSON(), completed: completed.toJSON() };
}

const nameOf = ({ id, digest }: Pick<BatchRow, 'id' | 'digest'>): string => `${id} ${digest}`;

/** The places of rows, by their names, as far as the server still has their pages. */
async function rowsOf(
  client: Client,
  pages: readonly (readonly [page: string, { first: number }])[],
): Promise<Map<string, number>> {
  const limit = pLimit(AT_ONCE);
  const read = async (page: string, first: number): Promise<[string, number][]> => {
    const run = await readLatestRun<BatchPage>(client, page);
    const rows = run?.type === 'batchRows' ? (run.request?.rows ?? []) : [];
    return rows.map((row, index) => [nameOf(row), first + index]);
  };
  const found = await Promise.all(pages.map(([page, { first }]) => limit(read, page, first)));
  return new Map(found.flat());
}

/** The place of each page's first row among all, and how many it has. */
function placesOf(pages: BatchRequest['pages']): Map<string, { first: number; length: number }> {
  let next = 0;
  return new Map(
    pages.map(({ workflowId, rows: length }) => {
      next += length;
      return [workflowId, { first: next - length, length }];
    }),
  );
}
