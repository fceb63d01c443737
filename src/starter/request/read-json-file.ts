import { isRecord } from '../../api/json/is-record.ts';
import { findJsonMistake } from '../../config/json-mistake.ts';
import { UsageError } from '../failures/usage-error.ts';
import { readTextFile } from './read-text-file.ts';

/**
 * Reads a file (`-` is standard input) that holds one JSON object.
 *
 * @throws UsageError when it cannot be read or holds something else
 */
export function readJsonFile(path: string): Record<string, unknown> {
  const value = parseJsonText(readTextFile(path), path === '-' ? 'standard input' : path);
  if (!isRecord(value)) throw new UsageError(`${path} holds no JSON object`);
  return value;
}

/** @throws UsageError saying where the text stops being JSON */
export function parseJsonText(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${source} is not valid JSON at ${findJsonMistake(text)}`);
  }
}
