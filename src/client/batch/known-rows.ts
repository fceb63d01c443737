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
import { KeyInUseError } from '../failures/key-in-use-error.ts';

/** Of a row by its place, or by its id and what it asks for: another request is another row. */
export type Known = { [What in keyof KnownRows]: (place: number, row: RowName) => boolean };

interface RowName {
  workflowId: string;
  digest: string;
}

/** Where no row is, and a row that there is not. */
const NOWHERE = -1;
const NOBODY: RowName = { workflowId: '', digest: '' };
/** So many pages are read at once. */
const AT_ONCE = 20;
const NOTHING: KnownRows = { begun: '', completed: '' };

/**
 * What the latest run of a batch knows of its rows, also of those whose runs the server has deleted: what it was handed on, or has
 * told in its end, and what it has started since.
 */
export async function readKnown(client: Client, workflowId: string): Promise<Known> {
  const { runId } = (await describeRun(client, workflowId)) ?? {};
  return knownBy((runId && (await readHistory(client, workflowId, runId))) || []);
}

/** What a run's history tells. A row that it was about to start when it was ended is started no more. */
export function knownBy(events: readonly HistoryEvent[]): Known {
  const [request, carried] = decode<[BatchRequest, CarriedBatch]>(
    events[0]?.workflowExecutionStartedEventAttributes?.input,
  );
  const [result] = decode<[BatchResult]>(events.at(-1)?.workflowExecutionCompletedEventAttributes?.result);
  const { begun, completed } = result?.known ?? carried?.known ?? request?.known ?? NOTHING;
  const places = { begun: new Places(begun), completed: new Places(completed) };
  const there = new Set(events.map(idOfAnswered));
  const started = new Map(events.flatMap(startedIn).filter(([row]) => there.has(row)));
  const ended = new Set(events.flatMap(completedIn));
  const isStarted = ({ workflowId: row, digest }: RowName): boolean => started.get(row) === digest;
  return {
    begun: (place, row) => places.begun.has(place) || isStarted(row),
    completed: (place, row) => places.completed.has(place) || (isStarted(row) && ended.has(row.workflowId)),
  };
}

/** The row that was started, or was there already. */
function idOfAnswered({
  childWorkflowExecutionStartedEventAttributes: started,
  startChildWorkflowExecutionFailedEventAttributes: failed,
}: HistoryEvent): string | null | undefined {
  return started?.workflowExecution?.workflowId ?? failed?.workflowId;
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
 * @throws KeyInUseError where rows have begun on a page that is gone: nobody can tell which they are
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
  const moved = new Map<string, number>();
  for (const { first, length, rows: were } of await readPages(
    client,
    [...earlier].filter(([page]) => !now.has(page)),
  )) {
    const places = Array.from({ length }, (_, index) => first + index);
    if (were === undefined && places.some((place) => known.begun(place, NOBODY)))
      throw new KeyInUseError(workflowId, ['rows']);
    for (const [index, row] of (were ?? []).entries()) moved.set(nameOf(row), first + index);
  }
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

/** Pages with their rows; without them, where the server no longer has these. */
async function readPages(
  client: Client,
  pages: readonly (readonly [page: string, place: Place])[],
): Promise<(Place & { rows: BatchRow[] | undefined })[]> {
  const limit = pLimit(AT_ONCE);
  const read = async (page: string, place: Place) => {
    const run = await readLatestRun<BatchPage>(client, page);
    return { ...place, rows: run?.type === 'batchRows' ? run.request?.rows : undefined };
  };
  return await Promise.all(pages.map(([page, place]) => limit(read, page, place)));
}

/** Where a page begins among all rows, and how many it has. */
interface Place {
  first: number;
  length: number;
}

function placesOf(pages: BatchRequest['pages']): Map<string, Place> {
  let next = 0;
  return new Map(
    pages.map(({ workflowId, rows: length }) => {
      next += length;
      return [workflowId, { first: next - length, length }];
    }),
  );
}
