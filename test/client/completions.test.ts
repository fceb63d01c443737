import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LanguageService, startLanguageService } from './language-service.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = 'src/client/in-an-editor.ts';
const HEAD = `import { DarkroomClient } from './index.ts';
const darkroom = await DarkroomClient.connect();
`;

let editor: LanguageService;

beforeAll(async () => {
  editor = await startLanguageService(ROOT);
});
afterAll(() => editor[Symbol.asyncDispose]());

/** What is proposed where the cursor is, without the marks of what is optional. */
async function proposed(code: string): Promise<string[]> {
  const found = await editor.completions(FILE, HEAD + code);
  return found.map(({ label }) => label.replace('?', ''));
}

describe('the editor', () => {
  it('proposes the models', async () => {
    expect(await proposed("await darkroom.generate('‸')")).toEqual(
      expect.arrayContaining(['image-l', 'video-f', 'speech-b']),
    );
  });

  it("proposes the fields of the model that was named, and no other model's", async () => {
    const fields = await proposed("await darkroom.generate('image-l', { ‸ })");
    expect(fields).toEqual(
      expect.arrayContaining(['prompt', 'aspect_ratio', 'resolution', 'image_urls', 'n']),
    );
    expect(fields).not.toContain('first_frame_url');
    expect(await proposed("await darkroom.start('video-f', { ‸ })")).toContain('first_frame_url');
  });

  it('proposes the values that a field takes', async () => {
    const values = await proposed("await darkroom.generate('image-l', { prompt: 'x', resolution: '‸' })");
    expect(values).toEqual(expect.arrayContaining(['1K', '2K', '4K']));
  });

  it('tells what a field means and its limits', async () => {
    const text = await editor.documentation(
      FILE,
      `${HEAD}await darkroom.generate('speech-b', { ‸ })`,
      'text',
    );
    expect(text).toContain('The text to speak');
    expect(text).toContain('1 to 5000 characters');
    const seed = await editor.documentation(FILE, `${HEAD}await darkroom.start('video-d', { ‸ })`, 'seed');
    expect(seed).toContain('2147483647');
  });

  it('proposes what a result and an error have', async () => {
    expect(await proposed("(await darkroom.generate('image-l', { prompt: 'x' })).outputs[0].‸")).toEqual(
      expect.arrayContaining(['url', 'stored', 'width']),
    );
    expect(
      await proposed("(await darkroom.generate('video-f', { prompt: 'x', first_frame_url: '' })).‸"),
    ).toEqual(expect.arrayContaining(['attempts', 'charged', 'data', 'usage']));
  });

  it('proposes the steps of a pipeline by their names, and what each of them has', async () => {
    const film = `import { definePipeline } from '../pipeline/index.ts';
const { steps } = await darkroom.run(definePipeline(({ step }) => {
  const still = step('image-l', { prompt: 'x' });
  return { still, large: step('upscale-q', { image_url: still.each }) };
}));
`;
    expect(await proposed(`${film}steps.‸`)).toEqual(['still', 'large']);
    expect(await proposed(`${film}steps.still.result.‸`)).toContain('outputs');
    const large = await proposed(`${film}steps.large.‸`);
    expect(large).toContain('items');
    expect(large).not.toContain('result');
  });
});
