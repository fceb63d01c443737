import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { MODEL_IDS } from '../../src/api/models/registry.ts';
import { whatIsMissing } from './specification/completeness.ts';
import { missingTests } from './specification/known-tests.ts';
import { coveragePage } from './specification/markdown.ts';
import { fieldProofs, rowsOfModel } from './specification/models.ts';
import { wrongMutant } from './specification/row.ts';
import { SECTIONS } from './specification/sections.ts';

/**
 * `npm run specification`: writes docs/specification-coverage.md. With `--check` it writes nothing. Either way it
 * fails when a named test does not exist, when a part of the contract has no row, or when a row's change is of a text
 * that is not there.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = `${ROOT}docs/specification-coverage.md`;

const sections = [...SECTIONS.before, SECTIONS.models, ...SECTIONS.after];
const modelRows = MODEL_IDS.flatMap(rowsOfModel);
const rows = [...sections.flatMap((section) => section.rows), ...modelRows];
const proofs = [...rows.flatMap((row) => row.proofs), ...MODEL_IDS.flatMap(fieldProofs)];

const page = coveragePage();
const { missing, skipped } = await missingTests(ROOT, proofs);
process.chdir(ROOT);
const problems = [...whatIsMissing(sections), ...missing, ...rows.flatMap(wrongMutant)];
if (!process.argv.includes('--check')) await writeFile(PAGE, page);
else if ((await readFile(PAGE, 'utf8').catch(() => '')) !== page) {
  problems.push('docs/specification-coverage.md is not current: npm run specification writes it');
}
for (const line of [...skipped, ...problems]) console.error(line);
console.error(
  `${rows.length} rows and the fields of ${MODEL_IDS.length} models; ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
