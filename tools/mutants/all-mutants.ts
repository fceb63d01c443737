import { readFileSync } from 'node:fs';
import type { Logger } from '@stryker-mutator/api/logging';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { type Survivor, survivorOf } from './survivors.ts';

/** One change that Stryker would make: the whole text of the file with it, and what it changes. */
export interface AppliedMutant extends Survivor {
  readonly text: string;
}

const not = (): boolean => false;
const SILENT: Logger = {
  isTraceEnabled: not,
  isDebugEnabled: not,
  isInfoEnabled: not,
  isWarnEnabled: not,
  isErrorEnabled: not,
  isFatalEnabled: not,
  trace: not,
  debug: not,
  info: not,
  warn: not,
  error: not,
  fatal: not,
};

/** All mutants of these files, in their order. */
export async function allMutants(paths: readonly string[]): Promise<AppliedMutant[]> {
  const files = paths.map((name) => ({ name, content: readFileSync(name, 'utf8'), mutate: true }));
  const { mutants } = await new Instrumenter(SILENT).instrument(files, {
    ignorers: [],
    excludedMutations: [],
    plugins: null,
  });
  return mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ fileName, location, replacement }) => {
      const source = files.find(({ name }) => name === fileName)?.content ?? '';
      const { start, end } = location;
      const text =
        source.slice(0, offsetOf(source, start)) + replacement + source.slice(offsetOf(source, end));
      return {
        ...survivorOf(fileName, source, {
          replacement,
          location: { start: fromOne(start), end: fromOne(end) },
        }),
        text,
      };
    });
}

/** Stryker counts lines and columns from 0 here, and from 1 in its report. */
interface Position {
  line: number;
  column: number;
}

const fromOne = ({ line, column }: Position): Position => ({ line: line + 1, column: column + 1 });

function offsetOf(source: string, { line, column }: Position): number {
  const before = source.split('\n').slice(0, line);
  return before.reduce((sum, { length }) => sum + length + 1, 0) + column;
}
