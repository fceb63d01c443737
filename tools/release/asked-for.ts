import { EMULATOR_PACKAGE, PACKAGE } from '../../src/package/name.ts';
import type { Project } from './empty-project.ts';

/**
 * What the demo says is to be installed, where only the client is.
 *
 * @returns `<name>@<range>` of each, but the emulator's: that one is in no registry yet
 */
export async function packagesAskedFor(project: Project): Promise<string[]> {
  const said = await project.run('npx', PACKAGE, 'demo').then(
    () => 'it ran',
    (reason: unknown) => String(reason),
  );
  const [, list = ''] = /^ *npm install (.+)$/m.exec(said) ?? [];
  const asked = list.split(' ');
  const others = asked.filter((name) => !name.startsWith(`${EMULATOR_PACKAGE}@`));
  if (others.length !== asked.length - 1 || others.length === 0)
    throw new Error(`npx ${PACKAGE} demo did not say what to install: ${said}`);
  return others;
}
