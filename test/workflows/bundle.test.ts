import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cachedWorkflows } from '../../src/worker/workflow-bundle.ts';

it('the workflow bundle holds neither zod nor Node modules, and stays small', async () => {
  const { code } = await cachedWorkflows();
  const modules = [...code.matchAll(/^\/\*\*\*\/ "([^"]+)"/gm)].map(([, name]) => name ?? '');
  expect(modules.some((name) => name.includes('src/workflows/generation/generation.ts'))).toBe(true);
  expect(modules.filter((name) => /node_modules\/(zod|undici|pino|sharp)\//.test(name))).toEqual([]);
  const node = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
  expect(modules.filter((name) => node.has(name))).toEqual([]);
  const ours = modules.filter((name) => name.startsWith('./src/'));
  expect(
    ours.filter((name) =>
      /^\.\/src\/(api\/models|api\/client|activities|emulator|outputs|webhooks)\//.test(name),
    ),
  ).toEqual([]);
  // All workflows of a worker share the modules: what one of them kept in a module, others would find there.
  const state =
    /^(?:export )?(?:(?:let|var) .*|const .* = (?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|\[\]|\{\});)$/gm;
  const sources = await Promise.all(ours.map((name) => readFile(name, 'utf8')));
  expect(sources.flatMap((source) => source.match(state) ?? [])).toEqual([]);
});

it('a kept bundle is what is made anew, and nothing is kept of a folder that cannot be written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const made = await cachedWorkflows(folder);
  const [name = ''] = await readdir(folder);
  expect(name).toMatch(/^workflows-[0-9a-f]{32}\.js$/);
  expect(await readFile(join(folder, name), 'utf8')).toBe(made.code);
  await writeFile(join(folder, name), 'kept');
  expect(await cachedWorkflows(folder)).toEqual({ code: 'kept' });
  const file = join(folder, name);
  expect((await cachedWorkflows(file)).code).toBe(made.code);
});
