import { writeFile } from 'node:fs/promises';
import Replicate, { type FileOutput } from 'replicate';

const replicate = new Replicate();

export async function draw(prompt: string, path: string): Promise<void> {
  const output = await replicate.run('black-forest-labs/flux-1.1-pro', { input: { prompt } });
  await writeFile(path, output as FileOutput);
}
