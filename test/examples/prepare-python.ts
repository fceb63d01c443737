import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ended } from './foreign-program.ts';
import { type Prepared, prepareIn } from './prepared.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/python/', import.meta.url));
const PIP = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'];

/** Temporal's SDK in an environment of its own, kept for the next time. */
export async function preparePython(): Promise<Prepared> {
  const python = await ended('python3', ['--version']);
  if (python.code !== 0) return { missing: 'python3 is not installed' };
  return await prepareIn('example-python', async (folder) => {
    const made = await ended('python3', ['-m', 'venv', folder]);
    if (made.code !== 0)
      return { missing: `python3 -m venv does not work here: ${made.stdout}${made.stderr}` };
    const own = join(folder, 'bin/python');
    const installed = await ended(own, PIP, { cwd: EXAMPLE });
    if (installed.code !== 0) {
      const why = installed.stderr.slice(0, 500);
      return { missing: `pip cannot install Temporal's SDK (no network?): ${why}` };
    }
    return { command: [own, 'film.py'], cwd: EXAMPLE };
  });
}
