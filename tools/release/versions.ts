import { readdir, readFile } from 'node:fs/promises';
import { EMULATOR_PACKAGE } from '../../src/package/name.ts';
import { RELEASED } from '../../test/replay/histories.ts';

interface Manifest {
  version: string;
  peerDependencies?: Record<string, string>;
}

/** A version of semantic versioning, without build metadata. */
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** What the packages' versions, CHANGELOG.md and the recorded histories say that does not go together. */
export async function mistakesOfVersions(): Promise<string[]> {
  const [ours, emulators] = await Promise.all([
    readManifest('package.json'),
    readManifest('emulator/package.json'),
  ]);
  const { version } = ours;
  const peer = ours.peerDependencies?.[EMULATOR_PACKAGE];
  const changelog = await readFile('CHANGELOG.md', 'utf8').catch(() => '');
  const [latest] = [...changelog.matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, found]) => found);
  const recorded = await readdir('test/replay/histories');
  return [
    ...(VERSION.test(version) ? [] : [`package.json: ${version} is no semantic version`]),
    ...(emulators.version === version
      ? []
      : [
          `emulator/package.json has ${emulators.version}, package.json ${version}: both are released together`,
        ]),
    ...(peer === version ? [] : [`package.json: peer ${EMULATOR_PACKAGE} is ${peer}, not ${version}`]),
    ...(latest === version
      ? []
      : [`CHANGELOG.md: its latest version is ${latest}, package.json's ${version}`]),
    ...[...RELEASED, version]
      .filter((one) => !recorded.includes(one))
      .map((one) => `test/replay/histories has none of ${one}: npm run record-histories`),
  ];
}

async function readManifest(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(path, 'utf8')) as Manifest; // npm refuses another shape
}
