import { fileURLToPath } from 'node:url';
import type { Prepared } from './prepared.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/typescript/', import.meta.url));

/** With the package as it is here: nothing is built. */
export async function prepareTypeScript(): Promise<Prepared> {
  const { href } = new URL('own-package.ts', import.meta.url);
  return { command: [process.execPath, '--import', href, 'service.ts'], cwd: EXAMPLE };
}
