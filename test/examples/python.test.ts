import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory } from '../../src/config/cache-directory.ts';
import { followsTheContract, type Prepared } from './foreign-contract.ts';
import { ended } from './foreign-program.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/python/', import.meta.url));

/** Temporal's SDK in an environment of its own, kept for the next time. */
async function prepare(): Promise<Prepared> {
  const python = await ended('python3', ['--version']);
  if (python.code !== 0) return { missing: 'python3 is not installed' };
  const folder = join(cacheDirectory(), 'example-python');
  await mkdir(folder, { recursive: true });
  const made = await ended('python3', ['-m', 'venv', folder]);
  if (made.code !== 0) return { missing: `python3 -m venv does not work here: ${made.stdout}${made.stderr}` };
  const own = join(folder, 'bin/python');
  const needs = join(EXAMPLE, 'requirements.txt');
  const installed = await ended(own, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    needs,
  ]);
  if (installed.code !== 0)
    return { missing: `pip cannot install Temporal's SDK (no network?): ${installed.stderr.slice(0, 500)}` };
  return { command: [own, 'film.py'], cwd: EXAMPLE };
}

followsTheContract('Python', prepare);
