import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import emulator from '../../emulator/package.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import { EMULATOR_PACKAGE, PACKAGE } from '../../src/package/name.ts';
import { commandToDecide } from '../../src/workflows/command-to-decide.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = 'test/package/name.test.ts';

/** Where a text says which package to install, to import or to run: its name follows. */
const NAMED =
  /(?:\bnpx |\bnpm (?:install|i|add|exec) (?:-\S+ )*|\bfrom ['"]|\bimport ['"]|\b(?:import|require)\(['"]|declare module ['"])((?:@[\w-]+\/)?[\w-]*darkroom[\w-]*)/g;

it.each([
  ['npx darkroom decide', 'darkroom'],
  ["import x from 'darkroom/worker'", 'darkroom'],
  ['npm install -D darkroom', 'darkroom'],
  ["require('darkrooms')", 'darkrooms'],
])('%s names a package', (text, name) => {
  expect(namesIn(text)).toEqual([name]);
});

it('every page, message and example names the packages by their names', () => {
  const files = trackedFiles();
  expect(files.length).toBeGreaterThan(500);
  const named = files.flatMap((file) =>
    namesIn(readFileSync(ROOT + file, 'utf8')).map((name) => ({ file, name })),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => name !== PACKAGE && name !== EMULATOR_PACKAGE)).toEqual([]);
});

it('the name stands once in the code', () => {
  const code = trackedFiles().filter((file) => /^(?:src|emulator|tools)\/.*\.ts$/.test(file));
  const withName = code.filter((file) =>
    withoutComments(readFileSync(ROOT + file, 'utf8')).includes(PACKAGE),
  );
  // What stands for a user's own workflows is a module's name, which has to be written out.
  expect(withName).toEqual([
    'src/package/name.ts',
    'src/workflow/added-to-own.ts',
    'src/workflow/own-workflows.d.ts',
  ]);
});

it('the package files have the same names, and the program is called as the package and as Temporal calls it', () => {
  expect(manifest.name).toBe(PACKAGE);
  expect(emulator.name).toBe(EMULATOR_PACKAGE);
  expect(manifest.peerDependencies).toHaveProperty(EMULATOR_PACKAGE);
  expect(Object.keys(manifest.bin)).toEqual(['darkroom', PACKAGE]);
  expect(new Set(Object.values(manifest.bin)).size).toBe(1);
});

it('the Web UI shows a command that a shell takes, whatever the id', () => {
  expect(commandToDecide('generation/order 17', 'resubmit')).toBe(
    "Or on a command line: `npx temporal-darkroom decide 'generation/order 17' resubmit` (from a clone: `npm run starter -- decide …`)",
  );
});

function trackedFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((file) => /\.(?:[cm]?[jt]s|md|json|sh|yml|go|py|html)$/.test(file))
    .filter((file) => file !== HERE && !file.startsWith('test/replay/histories/'));
}

function namesIn(text: string): string[] {
  return [...text.matchAll(NAMED)].map(([, name = '']) => name);
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
}
