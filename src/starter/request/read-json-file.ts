import { readFileSync } from 'node:fs';
import { isRecord } from '../../api/is-record.ts';
import { findJsonMistake } from '../../config/json-mistake.ts';
import { UsageError } from '../failures/usage-error.ts';

/**
 * Reads a file (`-` is standard input) that holds one JSON object.
 *
 * @throws UsageError when it cannot be read or holds something else
 */
export function readJsonFile(path: string): Record<string, unknown> {
  const value = parseJsonText(readText(path), path === '-' ? 'standard input' : path);
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

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const reason = code === 'ENOENT' ? 'there is no such file' : code;
    throw new UsageError(`cannot read ${path}: ${reason}`);
  }
}
