import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OLDEST_NODE } from '../../src/package/node.ts';
import { run } from './run.ts';

/** The versions that the packages are tried on: the oldest that is promised, and the one that is in use here. */
export const NODES = [OLDEST_NODE.package, '24'] as const;

/** Too old for the packages. */
export const OLD_NODES = ['18', OLDEST_NODE.clone] as const;

/** The versions with which people clone: the oldest with which that works, and what is in use elsewhere. */
export const CLONE_NODES = [OLDEST_NODE.clone, '22', '24'] as const;

/**
 * A Node of that version, from npm: what the package `node` would install by a script, which not every npm runs.
 *
 * @returns the folder of its program, for the PATH
 */
export async function installNode(folder: string, version: string): Promise<string> {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const home = join(folder, `node-${version}`);
  await mkdir(home);
  await writeFile(join(home, 'package.json'), '{}');
  await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: home });
  return join(home, 'node_modules', name, 'bin');
}
