import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended, environmentOf } from '../examples/foreign-program.ts';
import { patience } from '../patience.ts';
import { openWorld, type World } from '../workflows/world.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = join(ROOT, 'node_modules/ai/docs/03-ai-sdk-core');
const PROVIDER = `import { darkroom } from ${JSON.stringify(new URL('../../src/ai-sdk/index.ts', import.meta.url).href)};`;

let world: World;
let folder: string;
beforeAll(async () => {
  world = await openWorld();
  folder = await mkdtemp(join(ROOT, 'node_modules/.ai-examples-')); // where they find `ai`
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await world.close();
});

/**
 * The examples of a page of the AI SDK that stand by themselves, with our model. Left out: those about another provider's
 * options, and those that give up after a second.
 */
async function examplesOf(page: string, model: string): Promise<string[]> {
  const text = await readFile(join(PAGES, `${page}.mdx`), 'utf8');
  const blocks = [...text.matchAll(/^```tsx?[^\n]*\n(import [\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  return blocks
    .map((code) =>
      code
        .replace(/^__PROVIDER_IMPORT__;|^import \{ openai \} from '@ai-sdk\/openai';/m, PROVIDER)
        .replace(/__(?:IMAGE|VIDEO)_MODEL__|openai\.speech\('tts-1'\)/, model),
    )
    .filter((code) => code.includes(PROVIDER) && code.includes(model))
    .filter((code) => !/AbortSignal|providerOptions|firstFrame/.test(code));
}

it.each([
  ['35-image-generation', "darkroom.image('image-l')", 7],
  ['37-speech', "darkroom.speech('speech-b')", 4],
  ['38-video-generation', "darkroom.video('video-k')", 7],
])('the examples of %s run with %s in them', { timeout: patience(120_000) }, async (page, model, least) => {
  const { outputs } = world.config;
  const env = { ...environmentOf(world), DARKROOM_OUTPUTS: outputs.kind === 'folder' ? outputs.path : '' };
  const examples = await examplesOf(page, model);
  expect(examples.length).toBeGreaterThanOrEqual(least);
  const before = world.emulator.service().ledger.charges({}).length;
  for (const [index, example] of examples.entries()) {
    const path = join(folder, `${page}-${index}.mjs`);
    await writeFile(path, `${example}\nawait darkroom.close();\n`);
    const run = await ended(process.execPath, [path], { cwd: ROOT, env });
    expect({ ...run, example }).toMatchObject({ code: 0 });
  }
  expect(world.emulator.service().ledger.charges({}).length - before).toBeGreaterThanOrEqual(examples.length);
});
