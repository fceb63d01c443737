import { writeFile } from 'node:fs/promises';
import { fal } from '@fal-ai/client';

export async function draw(prompt: string, path: string): Promise<void> {
  const { data } = await fal.subscribe('fal-ai/flux/dev', { input: { prompt } });
  const file = await fetch(data.images[0]?.url ?? '');
  await writeFile(path, await file.bytes());
}
