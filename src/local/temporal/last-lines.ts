import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * Reads `stream` to its end and keeps the last `count` of the lines that `isTelling`, for the error message that may
 * need them.
 */
export function keepLastLines(
  stream: Readable,
  count: number,
  isTelling: (line: string) => boolean = () => true,
): readonly string[] {
  const lines: string[] = [];
  createInterface({ input: stream }).on('line', (line) => {
    if (line.trim() === '' || !isTelling(line)) return;
    lines.push(line);
    if (lines.length > count) lines.shift();
  });
  return lines;
}
