import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EMULATOR_PACKAGE, PACKAGE } from '../../src/package/name.ts';
import { WHICH_NODE } from '../../src/package/node.ts';
import { environmentOf, type Project } from './empty-project.ts';
import { run } from './run.ts';

const MANIFESTS = ['package.json', 'package-lock.json', 'emulator/package.json', 'deploy/package.json'];

/** What the programs say on a Node that is too old for them, instead of an error of the language. */
export async function saysWhichNode(project: Project): Promise<void> {
  for (const program of [PACKAGE, 'darkroom', EMULATOR_PACKAGE]) {
    const said = await project.run('npx', program, '--help').then(
      (help) => `it ran: ${help}`,
      (reason: unknown) => String(reason),
    );
    if (!said.includes(`is too old. ${WHICH_NODE}`))
      throw new Error(`npx ${program} did not say it: ${said}`);
  }
}

/** What npm has to say of the Node with which a clone is installed. Nothing is: npm is asked what it would do. */
export async function installsWithoutWarning(folder: string, bin: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const path of MANIFESTS) await cp(path, join(folder, path));
  const printed = await run('npm', ['install', '--dry-run', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: environmentOf(bin),
    errors: true,
  });
  if (!printed.includes('added ')) throw new Error(`npm would install nothing: ${printed}`);
  if (printed.includes('EBADENGINE')) throw new Error(printed);
}
