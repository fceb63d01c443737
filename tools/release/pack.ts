import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OLDEST_NODE } from '../../src/package/node.ts';
import { run } from './run.ts';
import { withoutDeadLinks } from './without-dead-links.ts';

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
  const tarball = join(folder, packed.filename);
  await ofPackage(folder, tarball, new Set(packed.files.map(({ path }) => path)));
  return tarball;
}

/**
 * What a package says of itself. A clone brings the Node that it runs on, a package does not: `engines` is another one
 * there. And its page is shown where the repository's files are not.
 */
async function ofPackage(folder: string, tarball: string, files: ReadonlySet<string>): Promise<void> {
  await run('tar', ['-xzf', tarball, '-C', folder], { cwd: folder });
  const unpacked = join(folder, 'package');
  const path = join(unpacked, 'package.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as object; // npm has just packed it
  const published = { ...manifest, engines: { node: `>=${OLDEST_NODE.package}` } };
  await writeFile(path, `${JSON.stringify(published, undefined, 2)}\n`);
  const page = join(unpacked, 'README.md');
  await writeFile(page, withoutDeadLinks(await readFile(page, 'utf8'), files));
  await run('tar', ['-czf', tarball, '-C', folder, 'package'], { cwd: folder });
  await rm(unpacked, { recursive: true });
}
