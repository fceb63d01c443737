import Replicate, { type FileOutput } from 'replicate';

const replicate = new Replicate();

export async function film(prompt: string): Promise<string> {
  const still = await replicate.run('black-forest-labs/flux-1.1-pro', { input: { prompt } });
  const input = { prompt: 'slow zoom', first_frame_image: (still as FileOutput).url().href };
  const clip = await replicate.run('minimax/video-01', { input });
  return (clip as FileOutput).url().href;
}
