import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ended } from './foreign-program.ts';
import { type Prepared, prepareIn } from './prepared.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/go/', import.meta.url));

/** Built once: Go keeps what it has compiled. */
export async function prepareGo(): Promise<Prepared> {
  const go = await ended('go', ['version']);
  if (go.code !== 0) return { missing: 'Go is not installed' };
  return await prepareIn('example-go', async (folder) => {
    const program = join(folder, process.platform === 'win32' ? 'film.exe' : 'film');
    const built = await ended('go', ['build', '-o', program, '.'], { cwd: EXAMPLE });
    if (built.code !== 0) {
      const isOffline = /dial tcp|no such host|proxyconnect|lookup .* on/.test(built.stderr);
      if (isOffline) return { missing: `Go cannot fetch Temporal's SDK: ${built.stderr.slice(0, 500)}` };
      throw new Error(built.stderr);
    }
    return { command: [program], cwd: EXAMPLE };
  });
}
