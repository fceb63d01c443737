import { CsvError, parse } from 'csv-parse/sync';
import { isRecord } from '../../api/json/is-record.ts';
import { MOST_ROWS } from '../../contract/batch.ts';
import { STEP_NAME } from '../../contract/limits.ts';
import { UsageError } from '../failures/usage-error.ts';
import { parseJsonText } from '../request/read-json-file.ts';
import { readTextFile } from '../request/read-text-file.ts';

/** A row of a file: the values of its columns, and the line that it begins on. An empty cell of CSV is no value. */
export interface FileRow {
  values: Record<string, unknown>;
  line: number;
}

/** Rows, and whether their values are texts whatever they stand for, as in CSV. */
export interface RowsFile {
  rows: FileRow[];
  isText: boolean;
}

/**
 * Reads the rows of a batch: `.csv` with a line of column names, anything else as one JSON object a line.
 *
 * @throws UsageError when it cannot be read, holds something else or no row
 */
export function readRowsFile(path: string): RowsFile {
  const text = readTextFile(path);
  const isText = path.toLowerCase().endsWith('.csv');
  const rows = isText ? readCsv(text, path) : readLines(text, path);
  const [first] = rows;
  if (first === undefined) throw new UsageError(`${path} holds no rows`);
  if (rows.length > MOST_ROWS)
    throw new UsageError(`${path} holds ${rows.length} rows; a batch takes at most ${MOST_ROWS}`);
  const wrong = Object.keys(first.values).find((name) => !STEP_NAME.test(name));
  if (wrong !== undefined)
    throw new UsageError(
      `${path} has a column ${JSON.stringify(wrong)}; a column is named with letters, digits, _ and -, at most 64 of them`,
    );
  return { rows, isText };
}

function readCsv(text: string, path: string): FileRow[] {
  try {
    const records = parse<{ record: Record<string, string>; info: { lines: number } }>(text, {
      bom: true,
      columns: (names: string[]) => eachOnce(names, path),
      info: true,
      skip_empty_lines: true,
      trim: true,
    });
    return records.flatMap(({ record, info }) => {
      const values = Object.fromEntries(Object.entries(record).filter(([, cell]) => cell !== ''));
      return Object.keys(values).length === 0 ? [] : [{ values, line: info.lines }];
    });
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`${path} is not valid CSV: ${error.message}`);
    throw error;
  }
}

/** Of two columns of one name a row would have the last one's value alone. */
function eachOnce(names: string[], path: string): string[] {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return names;
  throw new UsageError(`${path} has two columns ${JSON.stringify(twice)}`);
}

function readLines(text: string, path: string): FileRow[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parseJsonText(line, `line ${index + 1} of ${path}`);
    if (!isRecord(value)) throw new UsageError(`line ${index + 1} of ${path} holds no JSON object`);
    return [{ values: value, line: index + 1 }];
  });
}
