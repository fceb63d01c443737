import { readFileSync, writeFileSync } from 'node:fs';
import { metricsTable } from './metrics-page.ts';

/**
 * `npm run metrics`: writes from the table of metrics what docs/metrics.md says of each. With `--check` it writes
 * nothing, and fails where it is not current.
 */
const FILES: Readonly<Record<string, (current: string) => string>> = {
  'docs/metrics.md': (page) =>
    page.replace(/(?<=<!-- metrics -->\n\n)[^]*?(?=\n<!-- \/metrics -->)/, () => metricsTable()),
};

const stale = Object.entries(FILES).filter(([file, write]) => write(read(file)) !== read(file));
if (!process.argv.includes('--check'))
  for (const [file, write] of stale) writeFileSync(urlOf(file), write(read(file)));
else if (stale.length > 0) {
  process.stderr.write(`${stale.map(([file]) => file).join(', ')}: not current; npm run metrics writes it\n`);
  process.exitCode = 1;
}

function read(file: string): string {
  return readFileSync(urlOf(file), 'utf8');
}

function urlOf(file: string): URL {
  return new URL(`../../${file}`, import.meta.url);
}
