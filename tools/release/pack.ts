import { join } from 'node:path';
import { run } from './run.ts';

/** What no package may hold: sources, tests, and what the build leaves elsewhere. */
const UNWANTED = /(?<![.]d)[.]ts$|^(?:src|test|bench|node_modules|deploy)[/]/;

interface Packed {
  filename: string;
  size: number;
  files: { path: string }[];
}

/**
 * Builds both packages and packs them into a folder.
 *
 * @returns the paths of the tarballs
 * @throws Error where one holds what it should not
 */
export async function pack(folder: string): Promise<{ darkroom: string; emulator: string }> {
  const cwd = process.cwd();
  await run('npm', ['run', 'build'], { cwd });
  const [darkroom, emulator] = [
    await packOne(folder, []),
    await packOne(folder, ['--workspace', 'emulator']),
  ];
  return { darkroom, emulator };
}

async function packOne(folder: string, which: readonly string[]): Promise<string> {
  const args = ['pack', '--json', '--pack-destination', folder, ...which];
  const [packed] = JSON.parse(await run('npm', args, { cwd: process.cwd() })) as Packed[]; // npm's own format
  if (packed === undefined) throw new Error('npm pack has made nothing');
  const unwanted = packed.files.map(({ path }) => path).filter((path) => UNWANTED.test(path));
  if (unwanted.length > 0) throw new Error(`${packed.filename} holds ${unwanted.slice(0, 5).join(', ')}`);
  return join(folder, packed.filename);
}
