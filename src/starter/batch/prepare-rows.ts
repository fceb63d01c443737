import { parseJson } from '../../api/json/parse-json.ts';
import { contentAt } from '../../api/models/json-schema.ts';
import { findModel } from '../../api/models/registry.ts';
import { type PreparedRows, prepareRows, RowsRefused } from '../../client/batch/prepare-rows.ts';
import type { ClientConfig } from '../../config/client-config.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { findReferences } from '../../contract/steps/references.ts';
import { RequestRefused } from '../failures/request-refused.ts';
import { UsageError } from '../failures/usage-error.ts';
import { parseField } from '../request/parse-fields.ts';
import type { RowsFile } from './read-rows-file.ts';

/**
 * The rows of a file as a batch takes them. Texts of a CSV file become what the fields take that they stand for.
 *
 * @throws UsageError for columns and ids, RequestRefused for what the rows make
 */
export function prepareFileRows(
  document: PipelineRequest,
  { rows: lines, isText }: RowsFile,
  { keyColumn, config: { models } }: { keyColumn: string | undefined; config: ClientConfig },
): PreparedRows {
  const given = lines.map(({ values, line }) => ({ values, place: `line ${line}` }));
  try {
    return prepareRows(document, given, {
      keyColumn,
      keyOption: '--key',
      models,
      readerOf: isText ? readerOf : undefined,
    });
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error;
    if (error.errors.length > 0) throw new RequestRefused([...error.errors]);
    throw new UsageError(error.message);
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
