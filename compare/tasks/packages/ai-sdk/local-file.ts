import { readFile } from 'node:fs/promises';
import { fal } from '@ai-sdk/fal';
import { generateImage } from 'ai';

export async function enlarge(path: string): Promise<Uint8Array> {
  const prompt = { images: [await readFile(path)] };
  const { image } = await generateImage({ model: fal.image('fal-ai/esrgan'), prompt });
  return image.uint8Array;
}
