import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packagesAskedFor } from '../../tools/release/asked-for.ts';
import { emptyProject } from '../../tools/release/empty-project.ts';
import { oneTestOfAService } from '../../tools/release/one-test-check.ts';
import { run } from '../../tools/release/run.ts';
import { patience } from '../patience.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What a copy needs none of: packages, which it shares, and what programs have made. */
const LEFT_OUT = new Set([
  'node_modules',
  '.git',
  'dist',
  'emulator/dist',
  'release',
  'outputs',
  '.mutants',
  '.darkroom',
  'compare/node_modules',
  'tools/reference/node_modules',
]);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-packed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Both packages as they would be published, made in a copy: a build replaces what other tests may be reading. */
async function packed(): Promise<string[]> {
  const copy = join(folder, 'clone');
  await cp(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(ROOT, path)) });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  await run(process.execPath, ['tools/release/release.ts'], { cwd: copy });
  const made = join(copy, 'release');
  return (await readdir(made)).sort().map((name) => join(made, name));
}

it('a service in an empty folder tests upload, progress, callback and download against the packed packages', {
  timeout: patience(600_000),
}, async () => {
  const [emulator = '', darkroom = ''] = await packed();
  const project = await emptyProject(join(folder, 'service'), dirname(process.execPath), [darkroom]);
  await project.install(emulator, ...(await packagesAskedFor(project)));
  expect(await oneTestOfAService(project)).toBe('ES module, CommonJS');
});
