import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { COMPETITORS, NAMES } from '../../compare/contest/competitors.ts';

/** Lines of code: without comments and empty ones. */
function linesOf(file: string): number {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line)).length;
}

it.each(NAMES)(
  'the caller of %s is less than 100 lines beside what callers share, and says what it leaves to its user',
  (name) => {
    const { file } = COMPETITORS[name];
    const files = file.endsWith('/caller.ts') ? globSync(`${dirname(file)}/*.ts`) : [file];
    expect(files.reduce((sum, path) => sum + linesOf(path), 0)).toBeLessThan(100);
    expect(readFileSync(file, 'utf8')).toContain('Left to its user: ');
  },
);
