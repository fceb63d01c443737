import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

interface Locked {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

/**
 * They look at the code and nothing runs by them: their newest releases are locked, of which the registry had the parts
 * of other platforms later. Who develops elsewhere and lacks one: `npm install <name>@latest` fetches it.
 */
const OF_THIS_PLATFORM_ALONE = new Set(['@biomejs/biome', 'oxc-parser', 'oxlint', 'oxlint-tsgolint']);

it('the lock file names the parts of every platform of all that runs', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Locked; // npm's own form
  const lacking = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const parts = Object.keys(optionalDependencies);
    const missing = parts.filter(
      (name) => ![`node_modules/${name}`, `${path}/node_modules/${name}`].some((one) => one in packages),
    );
    return missing.length === 0 || path === '' ? [] : [path.replace('node_modules/', '')];
  });
  expect(lacking.filter((name) => !OF_THIS_PLATFORM_ALONE.has(name))).toEqual([]);
});
