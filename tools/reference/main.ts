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

const entryPoints = [
  ...sourcesOf(manifest.exports, './dist/', 'src/'),
  ...sourcesOf(emulator.exports, './dist/', ''),
].flatMap((source) => ['--entryPoints', source]);

await installPackages(HERE, (line) => process.stderr.write(`${line}\n`));
const typedoc = `${HERE}node_modules/typedoc/bin/typedoc`;
const name = `${manifest.name} ${manifest.version}`;
const options = ['--options', `${HERE}typedoc.json`, '--name', name];
const { status } = spawnSync(process.execPath, [typedoc, ...options, ...entryPoints], {
  cwd: ROOT,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

/** The sources of a package's entries: what is built lies in `dist` as its source lies in the project. */
function sourcesOf(exports: Readonly<Record<string, unknown>>, built: string, source: string): string[] {
  return Object.values(exports).flatMap((entry) =>
    typeof entry === 'object' && entry !== null && 'types' in entry
      ? String(entry.types)
          .replace(built, source)
          .replace(/\.d\.ts$/, '.ts')
      : [],
  );
}
