/**
 * `npm run release`: makes the two packages as they would be published, in the folder `release`. With `--check` they are
 * tried as strangers would use them, too, and left in no folder:
 *
 *   what the versions, the changelog and the recorded histories say of each other
 *   a clone installed without a warning, and what the programs say, on a Node that is too old for them
 *   installed in empty projects, ESM, CommonJS and TypeScript, on the oldest Node that is promised and on the one in use
 *   the client alone under 60 MB; the demo, a service against `dev`, and a test of a service's own
 *   every released version's histories, replayed
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packagesAskedFor } from './asked-for.ts';
import { CLIENT_CHECKS } from './client-checks.ts';
import { emptyProject, type Project } from './empty-project.ts';
import { FULL_CHECKS } from './full-checks.ts';
import { CLONE_NODES, installNode, NODES, OLD_NODES } from './nodes.ts';
import { installsWithoutWarning, saysWhichNode } from './old-node-checks.ts';
import { pack } from './pack.ts';
import { run } from './run.ts';
import { mistakesOfVersions } from './versions.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
process.chdir(ROOT);

const isCheck = process.argv.includes('--check');
const folder = await mkdtemp(join(tmpdir(), 'darkroom-release-'));
try {
  await step('versions, changelog and histories agree', async () => {
    const mistakes = await mistakesOfVersions();
    if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  });
  const tarballs = await step('build and pack', () => pack(folder));
  if (isCheck) await tryAsStrangers(tarballs);
  else {
    await mkdir('release', { recursive: true });
    for (const tarball of Object.values(tarballs))
      await cp(tarball, join('release', tarball.slice(folder.length)));
  }
  console.log(isCheck ? 'ready to be released' : 'packed into release/');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tryAsStrangers({ darkroom, emulator }: { darkroom: string; emulator: string }): Promise<void> {
  for (const version of CLONE_NODES) {
    const bin = await installNode(folder, version);
    await step(`Node ${version}: a clone is installed without a warning`, () =>
      installsWithoutWarning(join(folder, `clone-node-${version}`), bin),
    );
  }
  for (const version of OLD_NODES) {
    const bin = await installNode(folder, version);
    const both = await emptyProject(join(folder, `old-node-${version}`), bin, [darkroom, emulator]);
    await step(`Node ${version}: each program says which Node it needs`, () => saysWhichNode(both));
    await rm(both.folder, { recursive: true, force: true });
  }
  for (const version of NODES) {
    const bin = await step(`Node ${version}`, () => installNode(folder, version));
    const project = (name: string, packages: string[]): Promise<Project> =>
      emptyProject(join(folder, `${name}-node-${version}`), bin, packages);
    const client = await step(`Node ${version}: install the client alone`, () =>
      project('client', [darkroom]),
    );
    for (const [name, check] of Object.entries(CLIENT_CHECKS))
      await step(`Node ${version}: ${name}`, () => check(client));
    const full = await step(`Node ${version}: install what the demo asks for`, async () => {
      const both = await project('full', [darkroom]);
      await both.install(emulator, ...(await packagesAskedFor(both)));
      return both;
    });
    for (const [name, check] of Object.entries(FULL_CHECKS))
      await step(`Node ${version}: ${name}`, () => check(full));
    await rm(full.folder, { recursive: true, force: true });
  }
  await step("every released version's histories replay", async () => {
    await run('npx', ['vitest', 'run', 'test/replay'], { cwd: ROOT });
  });
}

/** Says what is done and how long that took; a text that comes of it is shown. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  try {
    const result = await work();
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
    console.log(
      `ok   ${name}${typeof result === 'string' && !result.includes('/') ? `: ${result}` : ''} (${seconds} s)`,
    );
    return result;
  } catch (error) {
    throw new Error(`FAIL ${name}\n${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
