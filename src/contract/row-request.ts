import { isRecord } from '../api/is-record.ts';
import type { BatchRow } from './batch.ts';
import type { PipelineRequest } from './pipeline.ts';

/** `{{city}}`, with or without spaces inside. */
const COLUMN = /\{\{\s*([A-Za-z0-9][\w-]{0,63})\s*\}\}/g;

/**
 * The pipeline of a row: its values over the document's `params`, and in the place of each `{{column}}` in a text of the
 * steps. What stands for no column of the row is left as it is.
 *
 * @param credits what the row may cost at most; the document's own budget alone when undefined
 */
export function rowRequest(
  pipeline: PipelineRequest,
  { values }: Pick<BatchRow, 'values'>,
  credits?: number,
): PipelineRequest {
  const { $schema: _, params, budget, ...rest } = pipeline;
  const least = Math.min(budget?.credits ?? Infinity, credits ?? Infinity);
  return {
    ...rest,
    steps: filled(pipeline.steps, values) as PipelineRequest['steps'], // texts stay texts
    params: { ...params, ...values },
    ...(Number.isFinite(least) ? { budget: { credits: least } } : {}),
  };
}

/** The columns that a document's texts name. */
export function columnsOf(value: unknown): Set<string> {
  const found = new Set<string>();
  const ahead: unknown[] = [value];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === 'string') for (const [, name = ''] of next.matchAll(COLUMN)) found.add(name);
    else if (Array.isArray(next)) ahead.push(...(next as unknown[]));
    else if (isRecord(next)) ahead.push(...Object.values(next));
  }
  return found;
}

function filled(value: unknown, row: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string')
    return value.replaceAll(COLUMN, (text, name: string) =>
      Object.hasOwn(row, name) ? textOf(row[name]) : text,
    );
  if (Array.isArray(value)) return value.map((one) => filled(one, row));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner, row)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
