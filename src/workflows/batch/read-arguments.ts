import { workflowInfo } from '@temporalio/workflow';
import { isRecord } from '../../api/json/is-record.ts';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import type { Usage } from '../../api/records/usage.ts';
import {
  type BatchCounts,
  type BatchPage,
  type BatchRequest,
  type BatchRow,
  type CarriedBatch,
  type KnownRows,
  MOST_CONCURRENCY,
  MOST_PAGE_ROWS,
  MOST_ROWS,
  ROW_ID,
  type RowNeed,
} from '../../contract/batch.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { DEEPEST_REQUEST, MOST_REQUEST_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { isPlaces } from '../../contract/places.ts';
import { LONGEST_WORKSPACE, wrong } from '../arguments/read-arguments.ts';
import {
  amount,
  count,
  flag,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  text,
  tuple,
} from '../arguments/shapes.ts';

/** Characters of why a row was refused. */
export const LONGEST_REFUSAL = 2_000;

const known = object<KnownRows>({ begun: isPlaces, completed: isPlaces });

const budget = object<{ credits: number }>({ credits: amount });

/** A batch has no budget but its own. */
const ownBudget: Shape<{ credits: number }> = (value): value is { credits: number } =>
  budget(value) && Object.keys(value).length === 1;

/** Each row's pipeline checks the rest of it. */
const pipeline = object<Pick<PipelineRequest, 'steps' | 'params' | 'workspace' | 'budget'>>({
  steps: record as Shape<PipelineRequest['steps']>, // what a step is, the pipeline checks
  params: optional(record),
  workspace: optional(text(LONGEST_WORKSPACE)),
  budget: optional(budget),
});

const pages = list(
  object<BatchRequest['pages'][number]>({ workflowId: text(1_000), rows: count }),
  MOST_ROWS,
);

const concurrency = (value: unknown): value is number =>
  count(value) && value >= 1 && value <= MOST_CONCURRENCY;

/** A page is named for what is in it. */
const PAGE_NAME = /^[0-9a-f]{1,64}$/;

/** Each field with what it must be. */
const FIELDS: { readonly [Name in keyof BatchRequest]-?: readonly [Shape<unknown>, must: string] } = {
  pipeline: [pipeline, 'a pipeline with steps'],
  pages: [pages, 'a list of { workflowId, rows }'],
  concurrency: [optional(concurrency), `a whole number from 1 to ${MOST_CONCURRENCY}`],
  budget: [optional(ownBudget), '{ credits }'],
  callback: [optional(text(10_000)), 'an http(s) URL'],
  retryFailed: [optional(flag), 'true or false'],
  again: [optional(flag), 'true or false'],
  known: [optional(known), '{ begun, completed } in hexadecimal'],
};

/**
 * The pages are the batch's own: whoever can start a batch must not have those of others read and sent.
 *
 * @throws INVALID_REQUEST
 */
export function checkRequest(request: unknown): asserts request is BatchRequest {
  if (!isRecord(request)) throw wrong('must be an object with pipeline and pages');
  if (isNestedDeeper(request, DEEPEST_REQUEST))
    throw wrong(`is nested deeper than ${DEEPEST_REQUEST} levels`);
  for (const [name, [shape, must]] of Object.entries(FIELDS))
    if (!shape(request[name])) throw wrong(`is wrong: ${name} must be ${must}`);
  const bytes = jsonBytes(request['pipeline']);
  if (bytes > MOST_REQUEST_BYTES)
    throw wrong(`is wrong: pipeline has ${bytes} bytes as JSON; at most ${MOST_REQUEST_BYTES} are taken`);
  const own = `${workflowInfo().workflowId}/rows/`;
  const { pages } = request as unknown as BatchRequest; // every field was checked just now
  if (!pages.every(({ workflowId: id }) => id.startsWith(own) && PAGE_NAME.test(id.slice(own.length))))
    throw wrong("is wrong: pages must be this batch's own, named for it");
}

const isRow = object<BatchRow>({
  id: (value): value is string => typeof value === 'string' && ROW_ID.test(value),
  values: (value): value is Record<string, unknown> =>
    isRecord(value) && !isNestedDeeper(value, DEEPEST_REQUEST),
  digest: text(100),
});
const rows = list(isRow, MOST_PAGE_ROWS);
const isPage = object<BatchPage>({ workspace: text(LONGEST_WORKSPACE), rows });

/** @throws INVALID_REQUEST */
export function checkPage(page: unknown): asserts page is BatchPage {
  if (!isPage(page)) throw wrong('must be a page of rows: { workspace, rows }');
}

/** The rows of a page as they were sent. @throws INVALID_REQUEST */
export function checkRows(value: unknown, page: BatchRequest['pages'][number]): BatchRow[] {
  if (rows(value) && value.length === page.rows) return value;
  throw wrong(`is wrong: ${page.workflowId} does not hold ${page.rows} rows`);
}

const counts = object<BatchCounts>({
  completed: count,
  failed: count,
  refused: count,
  refusal: optional(text(LONGEST_REFUSAL)),
});
const usage = object<Usage>({ total: number, subscription: number, permanent: number });
const need = object<RowNeed>({
  workflowId: text(1_000),
  state: text(100),
  step: optional(text(100)),
  asks: optional(oneOf('approval', 'held')),
  note: optional(text(1_000)),
});

/** What a run of a batch hands on. */
export const carriedBatch = object<CarriedBatch>({
  counts,
  usage,
  charged: usage,
  known,
  page: count,
  position: count,
  running: list(tuple<CarriedBatch['running'][number]>(count, text(1_000), text(100))),
  needs: optional(object<NonNullable<CarriedBatch['needs']>>({ rows: list(need), state: orNull(text(100)) })),
  startedAt: number,
});
