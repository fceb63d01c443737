import { readFileSync, writeFileSync } from 'node:fs';
import { GUESSES } from '../assumptions.ts';

/** `npm run assumptions`: writes the list of assumptions into docs/emulator.md. With `--check` it only compares. */
const PAGE = new URL('../../../docs/emulator.md', import.meta.url);
const LIST = /(?<=<!-- assumptions -->\n\n)[^]*?(?=\n<!-- \/assumptions -->)/;

const rows = Object.entries(GUESSES).map(
  ([name, { usual, says }]) => `- \`${name}\`, \`${JSON.stringify(usual)}\`: ${says}`,
);
const page = readFileSync(PAGE, 'utf8');
const list = [...rows, ''].join('\n');
const renewed = page.replace(LIST, () => list);

if (!LIST.test(page)) throw new Error('docs/emulator.md has no place for the assumptions');
if (!process.argv.includes('--check')) writeFileSync(PAGE, renewed);
else if (renewed !== page) {
  process.stderr.write('docs/emulator.md is out of date: npm run assumptions writes it\n');
  process.exitCode = 1;
}
