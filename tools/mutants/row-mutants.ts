import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { MODEL_IDS } from '../../src/api/models/registry.ts';
import { rowsOfModel } from '../../test/conformance/specification/models.ts';
import { matching, type Proof, type Row, wrongMutant } from '../../test/conformance/specification/row.ts';
import { SECTIONS } from '../../test/conformance/specification/sections.ts';
import { runProofs } from './run-proofs.ts';
import { idOf } from './test-id.ts';
import type { TestOutcome } from './test-run.ts';

/**
 * `npm run row-mutants [-- text …]`: makes each statement of docs/specification-coverage.md false (or each with such a
 * text in it) by its own change, and looks whether one of its tests notices. Fails where none does. `--concurrency` (2):
 * so many statements at a time.
 */
process.chdir(fileURLToPath(new URL('../../', import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '2' } },
});
const all = [...SECTIONS.before, SECTIONS.models, ...SECTIONS.after]
  .flatMap((section): readonly Row[] => section.rows)
  .concat(MODEL_IDS.flatMap(rowsOfModel));
const rows = all.filter(
  ({ says }) => positionals.length === 0 || positionals.some((text) => says.includes(text)),
);

let problems = 0;
const tell = (found: readonly string[]): void => {
  problems += found.length;
  for (const problem of found) process.stderr.write(`${problem}\n`);
};
tell(rows.flatMap(wrongMutant));
if (problems === 0) {
  tell(await failWithout());
  const limit = pLimit(Number(values.concurrency));
  await Promise.all(rows.map((row) => limit(async () => tell(await notNoticed(row)))));
}
process.stdout.write(`${rows.length} statements, ${problems} problems\n`);
process.exitCode = problems === 0 ? 0 : 1;

/** What fails without any change: its failure tells nothing. */
async function failWithout(): Promise<string[]> {
  const outcomes = await runProofs({ proofs: rows.flatMap(({ proofs }) => proofs), stopsAtFailure: false });
  return outcomes
    .filter(({ failure }) => failure !== undefined)
    .map(({ id, failure }) => `${id} fails without a change: ${failure}`);
}

async function notNoticed({ says, proofs, mutant }: Row): Promise<string[]> {
  const outcomes = await runProofs({ proofs, stopsAtFailure: true }, mutant);
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const where = `"${says}": ${mutant.from} → ${mutant.to} (${mutant.file})`;
  if (failed.length === 0)
    return [`${outcomes.length === 0 ? 'nothing runs here' : 'not noticed'}: ${where}`];
  const broken = failed.find((one) => !proofs.some((proof) => isOf(proof, one)));
  return broken === undefined ? [] : [`not the change that was meant: ${where}: ${broken.failure}`];
}

function isOf({ file, title }: Proof, { id }: TestOutcome): boolean {
  return id.startsWith(idOf(file, '')) && matching(title)(id.slice(idOf(file, '').length));
}
