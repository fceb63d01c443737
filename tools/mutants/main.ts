import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FOLDERS } from './folders.ts';
import { comparePage, percent, SCORES_PAGE, SURVIVORS_PAGE, withScores } from './page.ts';
import { runFolder } from './run-folder.ts';
import { type Score, scoreOf, survivorsOf } from './survivors.ts';

/**
 * `npm run mutants [-- folder …]`: changes the code that carries the contract in small ways and looks whether a test
 * notices (docs/testing.md). Fails where a folder is below 90 % or where the listed survivors are not those of the run.
 * `--fresh` forgets what earlier runs found out; `--concurrency 1` takes one core.
 */
const LEAST_PERCENT = 90;

process.chdir(fileURLToPath(new URL('../../', import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fresh: { type: 'boolean', default: false }, concurrency: { type: 'string', default: '2' } },
});
const strange = positionals.filter((name) => !FOLDERS.some((folder) => folder.name === name));
if (strange.length > 0) {
  process.stderr.write(
    `no such folder: ${strange.join(', ')}; there are ${FOLDERS.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(1);
}

const concurrency = Number(values.concurrency);
if (!Number.isInteger(concurrency) || concurrency < 1) {
  process.stderr.write(`--concurrency must be a whole number from 1, not ${values.concurrency}\n`);
  process.exit(1);
}

const problems: string[] = [];
const scores = new Map<string, Score>();
for (const folder of FOLDERS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
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
