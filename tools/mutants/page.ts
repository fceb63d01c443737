import { FOLDERS } from './folders.ts';
import type { SampleResult } from './sample.ts';
import { SAMPLED_FOLDERS } from './sampled-folders.ts';
import type { Score, Survivor } from './survivors.ts';

/** The scores, which the command writes. */
export const SCORES_PAGE = 'docs/testing.md';
/** The survivors in groups, each with its reason, which people write. */
export const SURVIVORS_PAGE = 'tools/mutants/survivors.md';

const SCORES = /(?<=<!-- scores -->\n\n)[^]*?(?=\n<!-- \/scores -->)/;
const SAMPLES = /(?<=<!-- samples -->\n\n)[^]*?(?=\n<!-- \/samples -->)/;
/** `- src/a.ts: in ``line`` ``original`` → ``replacement`` ` */
const ENTRY = /^- \S+: in ``/;

/** One survivor as a line of the page. */
export function entryOf({ file, line, original, replacement }: Survivor): string {
  const part = original === line ? '' : ` ${code(original)}`;
  return `- ${file}: in ${code(line)}${part} → ${code(replacement)}`;
}

/**
 * What the page says otherwise than the run of a folder: survivors that it does not explain, and explained ones that
 * are none (any more).
 *
 * @param files the folder's files
 */
export function comparePage(
  page: string,
  survivors: readonly Survivor[],
  files: readonly string[],
): { unexplained: string[]; outdated: string[] } {
  const explained = page.split('\n').filter((line) => ENTRY.test(line) && files.includes(fileOf(line)));
  const found = survivors.map(entryOf);
  return { unexplained: without(found, explained), outdated: without(explained, found) };
}

/** The page with the scores of these folders; those of others stay. */
export function withScores(page: string, scores: ReadonlyMap<string, Score>): string {
  const old = page.match(SCORES)?.[0].split('\n') ?? [];
  const rows = FOLDERS.map(({ name }) => {
    const score = scores.get(name);
    if (score === undefined)
      return old.find((row) => row.startsWith(`| ${name} |`)) ?? `| ${name} | – | – | – |`;
    const { mutants, noticed } = score;
    return `| ${name} | ${mutants} | ${mutants - noticed} | ${percent(score).toFixed(1)} % |`;
  });
  const table = ['| folder | mutants | survivors | noticed |', '| --- | --- | --- | --- |', ...rows, ''];
  return page.replace(SCORES, () => table.join('\n'));
}

/** The page with the score of this folder's sample; those of others stay. */
export function withSample(page: string, folder: string, { score, of, seed }: SampleResult): string {
  const old = page.match(SAMPLES)?.[0].split('\n') ?? [];
  const rows = SAMPLED_FOLDERS.flatMap(({ name }) =>
    name === folder
      ? `| ${name} | ${of} | ${score.mutants} | ${seed} | ${score.noticed} |`
      : (old.find((row) => row.startsWith(`| ${name} |`)) ?? []),
  );
  const table = [
    '| folder | mutants | drawn | seed | noticed |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ];
  return page.replace(SAMPLES, () => table.join('\n'));
}

export function percent({ mutants, noticed }: Score): number {
  return (100 * noticed) / Math.max(1, mutants);
}

function fileOf(entry: string): string {
  return entry.slice(2, entry.indexOf(': in '));
}

/** Markdown's code, whatever stands in it. */
function code(text: string): string {
  return `\`\` ${text} \`\``;
}

/** `one` without as many of each line as stand in `other`. */
function without(one: readonly string[], other: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of other) left.set(line, (left.get(line) ?? 0) + 1);
  return one.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
