import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Reads `stream` to its end and keeps its last `count` lines, for the error message that may need them. */
export function keepLastLines(stream: Readable, count: number, onLine?: (line: string) => void): string[] {
  const lines: string[] = [];
  createInterface({ input: stream }).on('line', (line) => {
    if (line.trim() === '') return;
    lines.push(line);
    if (lines.length > count) lines.shift();
    onLine?.(line);
  });
  return lines;
}
