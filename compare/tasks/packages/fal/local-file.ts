import { openAsBlob } from 'node:fs';
import { fal } from '@fal-ai/client';

export async function enlarge(path: string): Promise<string> {
  const { data } = await fal.subscribe('fal-ai/esrgan', { input: { image_url: await openAsBlob(path) } });
  return data.image.url;
}
