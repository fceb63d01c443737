import { builtinModules } from 'node:module';
import { expect, it } from 'vitest';
import { makeWorkflowBundle } from '../../src/worker/workflow-bundle.ts';

it('the workflow bundle holds neither zod nor Node modules, and stays small', async () => {
  const { code } = await makeWorkflowBundle();
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
});
