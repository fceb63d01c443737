import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import emulator from '../../emulator/package.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import { installPackages } from '../install-packages.ts';

/**
 * `npm run reference`: pages of all that the two packages export, by the docstrings, in `reference/`. TypeDoc needs a
 * TypeScript whose compiler has an API, so it is installed here with an older one of its own.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

await installPackages(HERE, (line) => process.stderr.write(`${line}\n`));
const { status } = spawnSync(
  process.execPath,
  [
    `${HERE}node_modules/typedoc/bin/typedoc`,
    ...[
      '--name',
      `${manifest.name} ${manifest.version}`,
      '--tsconfig',
      'tsconfig.json',
      '--skipErrorChecking',
    ],
    ...['--entryPoints', ...entryPoints(manifest.exports, /^dist\//, 'src/')],
    ...['--entryPoints', ...entryPoints(emulator.exports, /^dist\//, '')],
    ...['--readme', 'none', '--disableSources', '--excludeInternal', '--validation.notExported', 'false'],
    ...['--out', 'reference'],
  ],
  { cwd: ROOT, stdio: 'inherit' },
);
process.exitCode = status ?? 1;

/** The sources of a package's entries: what is built lies in `dist` as its source lies in the project. */
function entryPoints(exports: Readonly<Record<string, unknown>>, built: RegExp, source: string): string[] {
  return Object.values(exports).flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null || !('types' in entry)) return [];
    return String(entry.types)
      .replace(/^\.\//, '')
      .replace(built, source)
      .replace(/\.d\.ts$/, '.ts');
  });
}
