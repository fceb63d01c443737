import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rulesFile, rulesTest } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import { metricsTable } from './metrics-page.ts';

/**
 * `npm run metrics`: writes from the table of metrics what docs/metrics.md says of each, and Grafana's dashboard and
 * Prometheus's alerts of deploy/observe. With `--check` it writes nothing, and fails where one of them is not current.
 */
const FILES: Readonly<Record<string, (current: string) => string>> = {
  'docs/metrics.md': (page) =>
    page.replace(/(?<=<!-- metrics -->\n\n)[^]*?(?=\n<!-- \/metrics -->)/, () => metricsTable()),
  'deploy/observe/alerts.yml': () => rulesFile(),
  'deploy/observe/alerts.test.yml': () => rulesTest(),
  'deploy/observe/grafana/dashboards/darkroom.json': () => dashboard(),
};

const stale = Object.entries(FILES).filter(([file, write]) => write(read(file)) !== read(file));
if (!process.argv.includes('--check'))
  for (const [file, write] of stale) writeFileSync(urlOf(file), write(read(file)));
else if (stale.length > 0) {
  process.stderr.write(`${stale.map(([file]) => file).join(', ')}: not current; npm run metrics writes it\n`);
  process.exitCode = 1;
}

function read(file: string): string {
  const url = urlOf(file);
  return existsSync(url) ? readFileSync(url, 'utf8') : '';
}

function urlOf(file: string): URL {
  return new URL(`../../${file}`, import.meta.url);
}
