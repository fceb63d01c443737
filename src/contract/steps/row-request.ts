import { isList, isRecord } from '../../api/json/is-record.ts';
import type { BatchRow } from '../batch.ts';
import { jsonBytes } from '../json-bytes.ts';
import { MOST_REQUEST_BYTES } from '../limits.ts';
import type { PipelineRequest } from '../pipeline.ts';

/** Whatever stands where a column would. */
const NAMED = /\{\{\s*([^{}]*?)\s*\}\}/g;
/** `{{city}}`, with or without spaces inside. */
const COLUMN = /\{\{\s*([A-Za-z0-9][\w-]{0,63})\s*\}\}/g;

/**
 * The pipeline of a row: its values over the document's `params`, and in the place of each `{{column}}` in a text of the
 * steps. What stands for no column of the row is left as it is.
 *
 * @param budgetsAbove the batch's, where there is one; the document's own is each row's
 * @returns undefined where it would be larger than a request may be: a value may stand in any number of places
 */
export function rowRequest(
  pipeline: PipelineRequest,
  { values }: Pick<BatchRow, 'values'>,
  { budgetsAbove }: Pick<PipelineRequest, 'budgetsAbove'> = {},
): PipelineRequest | undefined {
  const { $schema: _, params, ...rest } = pipeline;
  const filler = new Filler(values);
  const steps = filler.filled(pipeline.steps) as PipelineRequest['steps']; // texts stay texts
  if (filler.room < 0) return undefined;
  const request = {
    ...rest,
    steps,
    params: { ...params, ...values },
    ...(budgetsAbove === undefined ? {} : { budgetsAbove }),
  };
  return jsonBytes(request) <= MOST_REQUEST_BYTES ? request : undefined;
}

/** `"{{city}}"` alone is `{ "$param": "city" }`: so it may stand for any value, not for texts alone. */
export function columnsAsParams(document: PipelineRequest): PipelineRequest {
  const walk = (value: unknown): unknown => {
    const [, name] = typeof value === 'string' ? (/^\{\{\s*([\w-]+)\s*\}\}$/.exec(value) ?? []) : [];
    if (name !== undefined) return { $param: name };
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, walk(inner)]));
  };
  return { ...document, steps: walk(document.steps) as PipelineRequest['steps'] }; // only values are replaced
}

/** The columns that a document's texts name, also by names that no column has. */
export function columnsOf(value: unknown): Set<string> {
  const found = new Set<string>();
  const ahead: unknown[] = [value];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') for (const [, name = ''] of next.matchAll(NAMED)) found.add(name);
    else if (isList(next)) ahead.push(...next);
    else if (isRecord(next)) ahead.push(...Object.values(next));
  }
  return found;
}

/** The first of the columns that has no value in a row: its name would be bought. */
export function columnWithout(
  columns: readonly string[],
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  return columns.find((name) => !Object.hasOwn(values, name) || values[name] === null);
}

/** Puts a row's values in the places of its columns, until they are more than a request may hold. */
class Filler {
  /** Characters that may still be put in; below 0 nothing is any more. */
  room = MOST_REQUEST_BYTES;
  readonly #row: Readonly<Record<string, unknown>>;
  readonly #texts = new Map<string, string>();

  constructor(row: Readonly<Record<string, unknown>>) {
    this.#row = row;
  }

  filled(value: unknown): unknown {
    if (typeof value === 'string')
      return value.replaceAll(COLUMN, (text, name: string) => this.#put(text, name));
    if (Array.isArray(value)) return value.map((one) => this.filled(one));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.filled(inner)]));
  }

  #put(text: string, name: string): string {
    if (this.room < 0 || !Object.hasOwn(this.#row, name)) return text;
    const put = this.#texts.get(name) ?? textOf(this.#row[name]);
    this.#texts.set(name, put);
    this.room -= put.length;
    return this.room < 0 ? text : put;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
