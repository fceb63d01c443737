import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { UsageError } from '../failures/usage-error.ts';

/**
 * Reads a text file (`-` is standard input), without a byte order mark.
 *
 * @throws UsageError when it cannot be read, or is no UTF-8: what was written otherwise would be bought with U+FFFD in
 *   the place of its letters
 */
export function readTextFile(path: string): string {
  const bytes = readBytes(path);
  if (!isUtf8(bytes)) {
    const name = path === '-' ? 'standard input' : path;
    throw new UsageError(
      `line ${firstWrongLine(bytes)} of ${name} is not UTF-8: save the file as UTF-8 (it may be Latin-1, Windows-1252 or UTF-16)`,
    );
  }
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const reason = code === 'ENOENT' ? 'there is no such file' : code;
    throw new UsageError(`cannot read ${path}: ${reason}`);
  }
}

function firstWrongLine(bytes: Buffer): number {
  for (let line = 1, start = 0; ; line += 1) {
    const newline = bytes.indexOf('\n', start);
    const end = newline < 0 ? bytes.length : newline;
    if (newline < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}
