import { readFileSync, writeFileSync } from 'node:fs';
import { classFile } from './class-file.ts';
import { PARTS } from './pages.ts';

/**
 * `npm run failures`: writes from the table in the contract what docs/failures.md says of each failure, and the client's
 * classes. With `--check` it writes nothing, and fails where one of them is not current.
 */
const PAGE = 'docs/failures.md';
const page = Object.entries(PARTS).reduce((text, [name, part]) => {
  const place = new RegExp(`(?<=<!-- ${name} -->\n\n)[^]*?(?=\n<!-- /${name} -->)`);
  if (!place.test(text)) throw new Error(`${PAGE} has no place for ${name}`);
  return text.replace(place, () => part);
}, read(PAGE));
const files = { [PAGE]: page, 'src/client/failures/failure-classes.ts': classFile() };
const stale = Object.entries(files).filter(([file, text]) => read(file) !== text);

if (!process.argv.includes('--check')) for (const [file, text] of stale) writeFileSync(urlOf(file), text);
else if (stale.length > 0) {
  process.stderr.write(
    `${stale.map(([file]) => file).join(', ')}: not current; npm run failures writes it\n`,
  );
  process.exitCode = 1;
}

function read(file: string): string {
  return readFileSync(urlOf(file), 'utf8');
}

function urlOf(file: string): URL {
  return new URL(`../../${file}`, import.meta.url);
}
