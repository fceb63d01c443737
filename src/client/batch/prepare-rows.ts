import type { FieldError } from '../../api/input/field-error.ts';
import { firstError } from '../../api/input/mistakes.ts';
import type { ModelOverrides } from '../../api/models/override.ts';
import { type BatchRow, ROW_ID } from '../../contract/batch.ts';
import { checkPipelineRequest } from '../../contract/checks/check-pipeline.ts';
import { Names } from '../../contract/checks/nearest.ts';
import { MOST_REQUEST_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { columnsAsParams, columnsOf, columnWithout, rowRequest } from '../../contract/steps/row-request.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { warnOfPolicies } from '../starting/check-start.ts';
import { digestOf, rowDigest } from './row-digest.ts';

/** Wrong rows that are told of; of more the number would not help. */
const MOST_TOLD = 20;

const TOO_LARGE = {
  ok: false,
  errors: [
    {
      path: 'request',
      message: `would have more than ${MOST_REQUEST_BYTES} bytes as JSON, with the row's values in the places of its columns`,
    },
  ],
} as const;

export interface PreparedRows {
  pipeline: PipelineRequest;
  rows: BatchRow[];
}

/** A row as it was given. */
export interface GivenRow {
  values: Record<string, unknown>;
  /** Where it was given, for who reads of it: `line 3`. */
  place: string;
}

interface Reading {
  /** The name of the value that is the row's id; undefined: what is in the row makes its id. */
  keyColumn?: string | undefined;
  /** What names that one. */
  keyOption: string;
  models: ModelOverrides;
  /** What the values stand for, by the pipeline; they themselves when absent. */
  readerOf?:
    | ((pipeline: PipelineRequest) => (values: Record<string, unknown>) => Record<string, unknown>)
    | undefined;
}

/** Rows that no batch takes: the columns and ids are wrong, or what the rows make is (`errors`). */
export class RowsRefused extends Error {
  override readonly name = 'RowsRefused';
  readonly errors: readonly FieldError[];

  constructor(message: string, errors: readonly FieldError[] = []) {
    super(message);
    this.errors = errors;
  }
}

/**
 * The rows as a batch takes them: with ids, of one column or of what is in them, and each checked as the pipeline that it
 * makes.
 *
 * @throws RowsRefused
 */
export function prepareRows(
  document: PipelineRequest,
  given: readonly GivenRow[],
  { keyColumn, keyOption, models, readerOf }: Reading,
): PreparedRows {
  const pipeline = columnsAsParams(document);
  checkColumns(pipeline, given);
  const read = readerOf?.(pipeline);
  const seen = new Map<string, string>();
  const rows = given.map(({ values: cells, place }) => {
    const values = read?.(cells) ?? cells;
    const id = keyColumn === undefined ? digestOf(values) : keyOf(cells[keyColumn], keyColumn, place);
    const other = seen.get(id);
    if (other !== undefined)
      throw new RowsRefused(
        keyColumn === undefined
          ? `${other} and ${place} are equal: name a column with different values by ${keyOption}`
          : `${other} and ${place} have the same ${keyColumn}: ${id}`,
      );
    seen.set(id, place);
    return { id, values, digest: rowDigest(pipeline, values) };
  });
  checkRows(pipeline, rows, given, models);
  warnOfPolicies(pipeline);
  return { pipeline, rows };
}

/** A text would be bought with the column's name in the place of its value. */
function checkColumns({ steps }: PipelineRequest, given: readonly GivenRow[]): void {
  const names = new Names(Object.keys(given[0]?.values ?? {}), 'columns');
  const columns = [...columnsOf(steps)];
  const missing = columns.find((name) => !names.has(name));
  if (missing !== undefined)
    throw new RowsRefused(`{{${missing}}} names no column of the rows${names.instead(missing)}`);
  for (const { values, place } of given) {
    const left = columnWithout(columns, values);
    if (left !== undefined)
      throw new RowsRefused(`${place} has no ${left}, and {{${left}}} stands for its value`);
  }
}

function keyOf(value: unknown, column: string, place: string): string {
  const key = typeof value === 'number' ? String(value) : value;
  if (typeof key === 'string' && ROW_ID.test(key)) return key;
  throw new RowsRefused(
    `${place}: ${column} must be 1 to 64 letters, digits, dots, _ and -, because a workflow is named for it; got ${JSON.stringify(value)}`,
  );
}

function checkRows(
  pipeline: PipelineRequest,
  rows: readonly BatchRow[],
  given: readonly GivenRow[],
  models: ModelOverrides,
): void {
  const { workspace = DEFAULT_WORKSPACE } = pipeline;
  const deps = { models, workspaces: new Map([[workspace, {}]]) };
  const errors: FieldError[] = [];
  for (const [index, row] of rows.entries()) {
    const request = rowRequest(pipeline, row);
    const check = request === undefined ? TOO_LARGE : checkPipelineRequest(request, deps);
    if (check.ok) continue;
    const place = given[index]?.place ?? `row ${index + 1}`;
    errors.push(...check.errors.map(({ path, message }) => ({ path: `${place}: ${path}`, message })));
    if (errors.length >= MOST_TOLD) break;
  }
  if (errors.length > 0) throw new RowsRefused(firstError(errors), errors);
}
