import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type {
  BatchPage,
  BatchRequest,
  BatchResult,
  BatchRow,
  CarriedBatch,
  KnownRows,
} from '../../contract/batch.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { Places } from '../../contract/places.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { decode, type HistoryEvent, readHistory } from '../../temporal/history.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';

export type Known = { [What in keyof KnownRows]: (place: number, workflowId: string) => boolean };

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
  const ids = { begun: new Set(events.flatMap(startedIn)), completed: new Set(events.flatMap(completedIn)) };
  return {
    begun: (place, row) => places.begun.has(place) || ids.begun.has(row),
    completed: (place, row) => places.completed.has(place) || ids.completed.has(row),
  };
}

function startedIn({ startChildWorkflowExecutionInitiatedEventAttributes: child }: HistoryEvent): string[] {
  return child?.workflowId == null ? [] : [child.workflowId];
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
      const { id = '' } = rows[place] ?? {};
      const was = same === undefined ? moved.get(id) : place - first + same.first;
      const row = `${workflowId}/${id}`;
      if (!known.begun(was ?? NOWHERE, row)) continue;
      begun.add(place);
      if (known.completed(was ?? NOWHERE, row)) completed.add(place);
    }
  }
  return { begun: begun.toJSON(), completed: completed.toJSON() };
}

/** The places of rows, by their ids, as far as the server still has their pages. */
async function rowsOf(
  client: Client,
  pages: readonly (readonly [page: string, { first: number }])[],
): Promise<Map<string, number>> {
  const limit = pLimit(AT_ONCE);
  const read = async (page: string, first: number): Promise<[string, number][]> => {
    const run = await readLatestRun<BatchPage>(client, page);
    const rows = run?.type === 'batchRows' ? (run.request?.rows ?? []) : [];
    return rows.map(({ id }, index) => [id, first + index]);
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
