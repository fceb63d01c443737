import { writeFile } from 'node:fs/promises';
import { fal } from '@ai-sdk/fal';
import { generateImage } from 'ai';

export async function draw(prompt: string, path: string): Promise<void> {
  const { image } = await generateImage({ model: fal.image('fal-ai/flux/dev'), prompt });
  await writeFile(path, image.uint8Array);
}
