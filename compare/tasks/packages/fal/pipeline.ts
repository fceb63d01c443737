import { fal } from '@fal-ai/client';

export async function film(prompt: string): Promise<string> {
  const still = await fal.subscribe('fal-ai/flux/dev', { input: { prompt } });
  const input = { prompt: 'slow zoom', image_url: still.data.images[0]?.url ?? '' };
  const { data } = await fal.subscribe('fal-ai/minimax/video-01/image-to-video', { input });
  return data.video.url;
}
