import type { FieldError } from '../../api/input/field-error.ts';
import { parseJson } from '../../api/json/parse-json.ts';
import { contentAt } from '../../api/models/json-schema.ts';
import { findModel } from '../../api/models/registry.ts';
import { digestOf, rowDigest } from '../../client/batch/row-digest.ts';
import { warnOfPolicies } from '../../client/starting/check-start.ts';
import type { ClientConfig } from '../../config/client-config.ts';
import { type BatchRow, ROW_ID } from '../../contract/batch.ts';
import { checkPipelineRequest } from '../../contract/checks/check-pipeline.ts';
import { Names } from '../../contract/checks/nearest.ts';
import { MOST_REQUEST_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { findReferences } from '../../contract/steps/references.ts';
import { columnsOf, rowRequest } from '../../contract/steps/row-request.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { RequestRefused } from '../failures/request-refused.ts';
import { UsageError } from '../failures/usage-error.ts';
import { parseField } from '../request/parse-fields.ts';
import type { FileRow, RowsFile } from './read-rows-file.ts';

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

/**
 * The rows of a file as a batch takes them: with ids, of one column or of what is in them, and each checked as the
 * pipeline that it makes. Texts of a CSV file become what the fields take that they stand for.
 *
 * @throws UsageError for columns and ids, RequestRefused for what the rows make
 */
export function prepareRows(
  document: PipelineRequest,
  { rows: lines, isText }: RowsFile,
  { keyColumn, config }: { keyColumn: string | undefined; config: ClientConfig },
): PreparedRows {
  const pipeline = withParams(document);
  checkColumns(pipeline, lines);
  const read = isText ? readerOf(pipeline) : (values: Record<string, unknown>) => values;
  const seen = new Map<string, number>();
  const rows = lines.map(({ values: cells, line }) => {
    const values = read(cells);
    const id = keyColumn === undefined ? digestOf(values) : keyOf(cells[keyColumn], keyColumn, line);
    const other = seen.get(id);
    if (other !== undefined)
      throw new UsageError(
        keyColumn === undefined
          ? `lines ${other} and ${line} are equal: name a column with different values by --key`
          : `lines ${other} and ${line} have the same ${keyColumn}: ${id}`,
      );
    seen.set(id, line);
    return { id, values, digest: rowDigest(pipeline, values) };
  });
  checkRows(pipeline, rows, lines, config);
  warnOfPolicies(pipeline);
  return { pipeline, rows };
}

/** `"{{city}}"` alone is `{ "$param": "city" }`: so it may stand for any value, not for texts alone. */
function withParams(document: PipelineRequest): PipelineRequest {
  const walk = (value: unknown): unknown => {
    const [, name] = typeof value === 'string' ? (/^\{\{\s*([\w-]+)\s*\}\}$/.exec(value) ?? []) : [];
    if (name !== undefined) return { $param: name };
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, walk(inner)]));
  };
  return { ...document, steps: walk(document.steps) as PipelineRequest['steps'] }; // only values are replaced
}

/** A text would be bought with the column's name in the place of its value. */
function checkColumns({ steps }: PipelineRequest, lines: readonly FileRow[]): void {
  const names = new Names(Object.keys(lines[0]?.values ?? {}), 'columns');
  const columns = [...columnsOf(steps)];
  const missing = columns.find((name) => !names.has(name));
  if (missing !== undefined)
    throw new UsageError(`{{${missing}}} names no column of the rows${names.instead(missing)}`);
  for (const { values, line } of lines) {
    const left = columns.find((name) => !Object.hasOwn(values, name) || values[name] === null);
    if (left !== undefined)
      throw new UsageError(`line ${line} has no ${left}, and {{${left}}} stands for its value`);
  }
}

/** Reads texts by the fields that their columns stand in; where these disagree, the text stays one. */
function readerOf({ steps }: PipelineRequest): (cells: Record<string, unknown>) => Record<string, unknown> {
  const uses = new Map<string, { model: string; field: string }[]>();
  for (const { model, input } of Object.values(steps)) {
    for (const { path, reference } of findReferences(input, 'input').references) {
      if (!('param' in reference)) continue;
      const field = path.slice('input.'.length).split('.', 1)[0] ?? '';
      const known = uses.get(reference.param) ?? [];
      uses.set(reference.param, [...known, { model, field }]);
    }
  }
  const read = (column: string, text: unknown): unknown => {
    const places = uses.get(column) ?? [];
    const [place] = places;
    if (typeof text !== 'string' || place === undefined) return text;
    if (text.startsWith('[')) return parseJson(text) ?? text;
    if (places.some(({ model, field }) => isTextField(model, field))) return text;
    return parseField(place.model, place.field, text);
  };
  return (cells) =>
    Object.fromEntries(Object.entries(cells).map(([column, text]) => [column, read(column, text)]));
}

function isTextField(id: string, field: string): boolean {
  const model = findModel(id);
  return model === undefined || contentAt(model, [field]) !== 'other';
}

function keyOf(value: unknown, column: string, line: number): string {
  const key = typeof value === 'number' ? String(value) : value;
  if (typeof key === 'string' && ROW_ID.test(key)) return key;
  throw new UsageError(
    `line ${line}: ${column} must be 1 to 64 letters, digits, dots, _ and -, because a workflow is named for it; got ${JSON.stringify(value)}`,
  );
}

function checkRows(
  pipeline: PipelineRequest,
  rows: readonly BatchRow[],
  lines: readonly FileRow[],
  { models }: ClientConfig,
): void {
  const { workspace = DEFAULT_WORKSPACE } = pipeline;
  const deps = { models, workspaces: new Map([[workspace, {}]]) };
  const errors: FieldError[] = [];
  for (const [index, row] of rows.entries()) {
    const request = rowRequest(pipeline, row);
    const check = request === undefined ? TOO_LARGE : checkPipelineRequest(request, deps);
    if (check.ok) continue;
    const line = lines[index]?.line ?? index + 1;
    errors.push(...check.errors.map(({ path, message }) => ({ path: `line ${line}: ${path}`, message })));
    if (errors.length >= MOST_TOLD) break;
  }
  if (errors.length > 0) throw new RequestRefused(errors);
}
