import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { followsTheContract } from './foreign-contract.ts';
import { prepareTypeScript } from './prepare-typescript.ts';

followsTheContract('TypeScript', prepareTypeScript);

it('the example is the same for CommonJS', async () => {
  const [esm, commonJs] = await Promise.all(
    ['service.ts', 'service.cts'].map((name) =>
      readFile(new URL(`../../examples/typescript/${name}`, import.meta.url), 'utf8'),
    ),
  );
  expect(commonJs).toBe(esm);
});
