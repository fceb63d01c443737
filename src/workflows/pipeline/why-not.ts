import type { Results } from './results.ts';

/** Characters of the line that says why a step is not completed. */
const LONGEST_CAUSE = 200;

/** Why the first of some generations that is not completed is not; undefined where all are. */
export function whyNot(results: Results, paths: readonly string[]): string | undefined {
  const items = paths.flatMap((path) => results.get(path)?.item ?? []);
  const first =
    items.find(({ status }) => status === 'FAILED') ?? items.find(({ status }) => status === 'SKIPPED');
  if (first === undefined || first.status === 'COMPLETED') return undefined;
  const { type, message } = first.failure;
  const why = first.status === 'SKIPPED' ? message : `${type}: ${message}`;
  return why.length > LONGEST_CAUSE ? `${why.slice(0, LONGEST_CAUSE - 1)}…` : why;
}
