/** A change of the code that no test noticed. */
export interface Survivor {
  /** Path below the project's folder. */
  readonly file: string;
  /** The line that it stands in, what is changed there, and into what; each on one line, cut. */
  readonly line: string;
  readonly original: string;
  readonly replacement: string;
}

/** Of Stryker's report what is looked at here: https://stryker-mutator.io/docs/mutation-testing-elements. */
export interface MutantReport {
  files: Record<string, { source: string; mutants: ReportedMutant[] }>;
}

interface ReportedMutant {
  status: string;
  replacement?: string;
  /** Lines and columns from 1. */
  location: Record<'start' | 'end', { line: number; column: number }>;
}

/** How a folder did. */
export interface Score {
  readonly mutants: number;
  readonly noticed: number;
}

const LONGEST = 90;

/** Mutants that break the code so that it cannot be run are none. */
export function scoreOf({ files }: MutantReport): Score {
  const all = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const noticed = all.filter((status) => status === 'Killed' || status === 'Timeout').length;
  return { noticed, mutants: noticed + survivorsOf({ files }).length };
}

export function survivorsOf({ files }: MutantReport): Survivor[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map((mutant) => survivorOf(file, source, mutant)),
  );
}

export function survivorOf(
  file: string,
  source: string,
  { location: { start, end }, replacement = '' }: Pick<ReportedMutant, 'location' | 'replacement'>,
): Survivor {
  const lines = source.split('\n');
  return {
    file,
    line: short(lines[start.line - 1] ?? ''),
    original: short(between(lines, start, end)),
    replacement: short(replacement),
  };
}

function between(lines: readonly string[], start: Position, end: Position): string {
  const within = lines.slice(start.line - 1, end.line);
  const last = within.length - 1;
  const cut = within.map((line, index) => (index === last ? line.slice(0, end.column - 1) : line));
  return [(cut[0] ?? '').slice(start.column - 1), ...cut.slice(1)].join('\n');
}

type Position = ReportedMutant['location']['start'];

function short(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > LONGEST ? `${flat.slice(0, LONGEST - 1)}…` : flat;
}
