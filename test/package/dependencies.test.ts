import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import deployment from '../../deploy/package.json' with { type: 'json' };
import emulator from '../../emulator/package.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import { LOCAL_PACKAGES } from '../../src/package/needed-packages.ts';

const PAGE = readFileSync(new URL('../../docs/dependencies.md', import.meta.url), 'utf8');
const optional = Object.keys(manifest.peerDependencies);

/** The packages of a section's list that have a reason, in its order. */
function explained(title: string): string[] {
  const [, section = ''] = PAGE.split(`\n## ${title}\n`);
  const [own = ''] = section.split('\n## ');
  const rows = [...own.matchAll(/^- (`[^:]+`): .*\w/gm)];
  return rows.flatMap(([, names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));
}

describe('docs/dependencies.md says what each package is for', () => {
  it.each([
    ["The package's own", Object.keys(manifest.dependencies)],
    ['Optional', optional],
    ['To develop and test', Object.keys(manifest.devDependencies).filter((name) => !optional.includes(name))],
    ["The emulator's", Object.keys(emulator.dependencies)],
  ])('%s', (title, names) => {
    expect(explained(title)).toEqual(names.toSorted());
  });
});

it('a clone has by its own package file what is optional for others, in the version that is asked for there', () => {
  const { 'darkroom-emulator': here, ...others } = manifest.peerDependencies;
  expect(here).toBe(emulator.version);
  expect(manifest.devDependencies).toMatchObject(others);
  expect(Object.keys(manifest.peerDependenciesMeta).toSorted()).toEqual(optional.toSorted());
});

it('what several package files name has one version', () => {
  const files = [
    manifest.dependencies,
    manifest.devDependencies,
    emulator.dependencies,
    deployment.dependencies,
  ];
  const all = files.flatMap((one) => Object.entries<string>(one));
  const versions = Map.groupBy(all, ([name]) => name);
  const torn = [...versions].filter(([, found]) => new Set(found.map(([, range]) => range)).size > 1);
  expect(torn.map(([name]) => name)).toEqual([]);
});

it('what runs everything on this machine can ask for each package that it needs', () => {
  expect(optional).toEqual(expect.arrayContaining([...LOCAL_PACKAGES]));
});
