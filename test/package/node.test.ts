import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { satisfies } from 'semver';
import { describe, expect, it } from 'vitest';
import deployment from '../../deploy/package.json' with { type: 'json' };
import emulator from '../../emulator/package.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import { OLDEST_NODE, tooOld, WHICH_NODE } from '../../src/package/node.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(ROOT + path, 'utf8');

interface Locked {
  engines?: { node?: string };
  /** For another system, say: npm leaves it out without a word. */
  optional?: boolean;
}

it('which Node is said once: by the README', () => {
  expect(read('README.md').split(WHICH_NODE)).toHaveLength(2);
  const others = globSync('docs/*.md', { cwd: ROOT }).filter((page) => /Node \d+[.]\d+/.test(read(page)));
  expect(others).toEqual([]);
});

it('the package files ask for the Node that a clone needs', () => {
  const asked = [manifest, emulator, deployment].map(({ engines }) => engines.node);
  expect(new Set(asked)).toEqual(new Set([`>=${OLDEST_NODE.clone}`]));
});

it.each([`${OLDEST_NODE.clone}.0`, `${OLDEST_NODE.package}.0`, '24.0.0'])(
  'no package of a clone warns on Node %s',
  (version) => {
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }; // npm's own
    const packages = Object.entries(lock.packages).filter(([, { optional }]) => optional !== true);
    expect(packages.length).toBeGreaterThan(200);
    const unfit = packages.filter(([, { engines }]) => !satisfies(version, engines?.node ?? '*'));
    expect(unfit.map(([path, { engines }]) => `${path}: ${engines?.node}`)).toEqual([]);
  },
);

it.each([
  ['18.20.8', true],
  ['20.19.0', true],
  ['22.14.9', true],
  ['22.15.0', false],
  ['24.0.0', false],
  ['100.1.0', false],
])('Node %s is too old for the package: %s', (version, isTooOld) => {
  expect(tooOld(version)).toBe(isTooOld ? `Node ${version} is too old. ${WHICH_NODE}` : undefined);
});

describe.each(['src/starter.ts', 'emulator/src/main.ts'])('%s', (program) => {
  it('loads nothing that an old Node could not, before it has looked which one it is', () => {
    const imports = [...read(program).matchAll(/^import .* from '(.*)';$/gm)].map(([, path = '']) => path);
    expect(imports).toHaveLength(1);
    expect(imports[0]).toMatch(/\/package\/node[.]ts$/);
    expect(read('src/package/node.ts')).not.toMatch(/^import |\bimport\(/m);
  });
});
