import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FOLDERS, type Folder } from './folders.ts';
import {
  comparePage,
  entryOf,
  percent,
  SCORES_PAGE,
  SURVIVORS_PAGE,
  withSample,
  withScores,
} from './page.ts';
import { runFolder } from './run-folder.ts';
import { sampleFolder } from './sample.ts';
import { SAMPLED_FOLDERS } from './sampled-folders.ts';
import { type Score, scoreOf, survivorsOf } from './survivors.ts';

/**
 * `npm run mutants [-- folder …]`: changes the code that carries the contract in small ways and looks whether a test
 * notices (docs/testing.md). Fails where a folder is below 90 % or where the listed survivors are not those of the run.
 * `--fresh` forgets what earlier runs found out; `--concurrency 1` takes one core.
 *
 * `--sample <n>` draws n mutants of each folder whose tests are too slow for all of them, by `--seed` (1). It fails for
 * nothing: it prints the survivors, and writes the scores.
 */
const LEAST_PERCENT = 90;

process.chdir(fileURLToPath(new URL('../../', import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fresh: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '2' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const known = values.sample === undefined ? FOLDERS : SAMPLED_FOLDERS;
const strange = positionals.filter((name) => !known.some((folder) => folder.name === name));
if (strange.length > 0) {
  process.stderr.write(
    `no such folder: ${strange.join(', ')}; there are ${known.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(1);
}
const isAsked = ({ name }: Folder): boolean => positionals.length === 0 || positionals.includes(name);

if (values.sample !== undefined) {
  const size = Number(values.sample);
  const seed = Number(values.seed);
  if (!Number.isInteger(size) || size < 1 || !Number.isInteger(seed)) {
    process.stderr.write('--sample must be a whole number from 1, and --seed a whole number\n');
    process.exit(1);
  }
  for (const folder of SAMPLED_FOLDERS.filter(isAsked)) {
    const result = await sampleFolder(folder, { size, seed });
    await writeFile(SCORES_PAGE, withSample(await readFile(SCORES_PAGE, 'utf8'), folder.name, result));
    const { mutants, noticed } = result.score;
    process.stdout.write(`${folder.name}: ${noticed} of ${mutants} mutants noticed, drawn of ${result.of}\n`);
    for (const survivor of result.survivors) process.stdout.write(`${entryOf(survivor)}\n`);
  }
  process.exit(0);
}

const concurrency = Number(values.concurrency);
if (!Number.isInteger(concurrency) || concurrency < 1) {
  process.stderr.write(`--concurrency must be a whole number from 1, not ${values.concurrency}\n`);
  process.exit(1);
}

// Stryker's promise stays open where tests fail without any change: then Node ends here.
process.exitCode = 1;
const problems: string[] = [];
const scores = new Map<string, Score>();
for (const folder of FOLDERS.filter(isAsked)) {
  const report = await runFolder(folder, { fresh: values.fresh, concurrency });
  const score = scoreOf(report);
  scores.set(folder.name, score);
  if (percent(score) < LEAST_PERCENT) {
    problems.push(
      `${folder.name}: ${percent(score).toFixed(1)} % noticed; at least ${LEAST_PERCENT} % are wanted`,
    );
  }
  await writeFile(SCORES_PAGE, withScores(await readFile(SCORES_PAGE, 'utf8'), scores));
  const page = await readFile(SURVIVORS_PAGE, 'utf8');
  const { unexplained, outdated } = comparePage(page, survivorsOf(report), Object.keys(report.files));
  if (unexplained.length > 0) problems.push(`${SURVIVORS_PAGE} does not explain:`, ...unexplained);
  if (outdated.length > 0) problems.push(`${SURVIVORS_PAGE} explains what does not survive:`, ...outdated);
}
for (const [name, { mutants, noticed }] of scores) {
  process.stdout.write(`${name}: ${noticed} of ${mutants} mutants noticed, ${mutants - noticed} survived\n`);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
