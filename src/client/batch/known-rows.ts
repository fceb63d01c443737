import type { Client } from '@temporalio/client';
import {
  type BatchRequest,
  type BatchResult,
  type BatchRow,
  type CarriedBatch,
  type KnownRows,
  MOST_ROWS,
} from '../../contract/batch.ts';
import type { PipelineResult } from '../../contract/pipeline.ts';
import { Places } from '../../contract/places.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { decode, type HistoryEvent, readHistory } from '../../temporal/history.ts';

export type Known = { [What in keyof KnownRows]: (place: number, workflowId: string) => boolean };

/** Where no row is, however many places come after it. */
const NOWHERE = -2 * MOST_ROWS;
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
 * The same of the rows of a further run. A page is named for what is in it: one that the earlier run had as well has the
 * same rows; of other pages only what that run has started itself is known.
 *
 * @param before the pages of the earlier run
 */
export function knownOf(
  known: Known,
  before: BatchRequest['pages'],
  { workflowId, pages, rows }: Paged,
): KnownRows {
  const [begun, completed] = [new Places(), new Places()];
  const earlier = placesOf(before);
  for (const [page, { first, length }] of placesOf(pages)) {
    const shift = (earlier.get(page)?.first ?? NOWHERE) - first;
    for (let place = first; place < first + length; place += 1) {
      const row = `${workflowId}/${rows[place]?.id}`;
      if (!known.begun(place + shift, row)) continue;
      begun.add(place);
      if (known.completed(place + shift, row)) completed.add(place);
    }
  }
  return { begun: begun.toJSON(), completed: completed.toJSON() };
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
