import type { Project } from './empty-project.ts';

const NAMES = ['order.test.mts', 'order.test.cts'];

/** Temporal's own declarations do not pass `exactOptionalPropertyTypes`, so that libraries are left out. */
const CONFIG = JSON.stringify({
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  },
  files: NAMES,
});

/**
 * One test of a service's own that uploads, follows, is called back and downloads: as an ES module and as CommonJS, with
 * every check of the compiler.
 */
export async function oneTestOfAService(project: Project): Promise<string> {
  await project.install('typescript', '@types/node@24');
  for (const name of NAMES) await project.copy('examples/typescript/order.test.ts', name);
  await project.write('order.json', CONFIG);
  await project.run('npx', 'tsc', '-p', 'order.json');
  const said = await project.run('node', '--test', '--test-reporter=tap', 'order.test.mjs', 'order.test.cjs');
  if (!/^# pass 2$/m.test(said)) throw new Error(`the two tests did not pass: ${said}`);
  return 'ES module, CommonJS';
}
