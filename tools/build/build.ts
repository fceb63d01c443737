/**
 * `npm run build`: what the two packages publish. One run of the compiler for both; each file keeps its name and its
 * place below the package's folder, so that paths made of `import.meta.url` lead to the same places as in a clone:
 *
 *   dist/<path below src>                    temporal-darkroom
 *   dist/workflow-bundle.js                  the workflows, ready for a worker
 *   emulator/dist/emulator/src/…, …/src/api  darkroom-emulator, with its own copy of the API's contract
 */
import { spawnSync } from 'node:child_process';
import { chmod, cp, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EMULATOR_PACKAGE } from '../../src/package/name.ts';
import type * as WorkflowBundle from '../../src/worker/workflow-bundle.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
process.chdir(ROOT);

await rm('dist', { recursive: true, force: true });
await rm('emulator/dist', { recursive: true, force: true });
const made = await mkdtemp(join(ROOT, 'node_modules/.darkroom-build-'));
try {
  const { status } = spawnSync('npx', ['tsc', '-p', 'tools/build', '--outDir', made], { stdio: 'inherit' });
  if (status !== 0) process.exit(1); // the compiler has said why
  await nameCompiledFiles(made);
  await cp(join(made, 'src/api'), 'emulator/dist/src/api', { recursive: true });
  await cp(join(made, 'src/package/node.js'), 'emulator/dist/src/package/node.js');
  await cp(join(made, 'emulator'), 'emulator/dist/emulator', { recursive: true });
  await cp(join(made, 'src'), 'dist', { recursive: true });
} finally {
  await rm(made, { recursive: true, force: true });
}
await cp('emulator/src/dashboard/page', 'emulator/dist/emulator/src/dashboard/page', {
  recursive: true,
  filter: (path) => !/[.]d[.]ts$|tsconfig[.]json$/.test(path),
});
for await (const script of glob('**/*.sh', { cwd: 'src' })) {
  await cp(join('src', script), join('dist', script));
}

// In a clone the emulator is a folder beside, here a package.
for (const file of ['emulator.js', 'emulator.d.ts']) {
  await writeFile(join('dist/local', file), `export * from '${EMULATOR_PACKAGE}';\n`);
}
await rm('dist/local/emulator.js.map');

await dropInnerDeclarations('package.json');
await dropInnerDeclarations('emulator/package.json');

for (const program of ['dist/starter.js', 'emulator/dist/emulator/src/main.js']) await chmod(program, 0o755);

// With the code that was just built, by the tool that a worker from a clone uses at its start.
const bundler = join(ROOT, 'dist/worker/workflow-bundle.js');
const { makeWorkflowBundle } = (await import(bundler)) as typeof WorkflowBundle;
const { code } = await makeWorkflowBundle();
await writeFile(join(dirname(bundler), '../workflow-bundle.js'), code);

/** The compiler rewrites what code imports (`./x.ts` becomes `./x.js`), and leaves the declarations as they are. */
async function nameCompiledFiles(folder: string): Promise<void> {
  for await (const file of glob('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll(/((?:from|import\()\s*['"][.][^'"]*)[.]ts(['"])/g, '$1.js$2'));
  }
}

/** Leaves a package the declarations that its users' compilers read: those of its entries, and what these import. */
async function dropInnerDeclarations(manifest: string): Promise<void> {
  const { exports } = JSON.parse(await readFile(manifest, 'utf8')) as {
    exports: Record<string, string | { types: string }>; // ours
  };
  const waiting = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [resolve(dirname(manifest), entry.types)],
  );
  const needed = new Set(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const text = await readFile(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/(?:from|import\()\s*['"]([.][^'"]*)[.]js['"]/g)) {
      const imported = resolve(dirname(file), `${path}.d.ts`);
      if (needed.has(imported)) continue;
      needed.add(imported);
      waiting.push(imported);
    }
  }
  for await (const file of glob('**/*.d.ts', { cwd: join(dirname(manifest), 'dist') })) {
    const path = resolve(dirname(manifest), 'dist', file);
    if (!needed.has(path)) await rm(path);
  }
}
