import { fal } from '@ai-sdk/fal';
import { experimental_generateVideo, generateImage } from 'ai';

/** Here the two packages bring versions of their own of what a model is. */
type Model = Parameters<typeof experimental_generateVideo>[0]['model'];

export async function film(prompt: string): Promise<Uint8Array> {
  const { image } = await generateImage({ model: fal.image('fal-ai/flux/dev'), prompt });
  const model = fal.video('fal-ai/kling-video/v2.1/master/image-to-video') as Model;
  const still = { image: image.uint8Array, text: 'slow zoom' };
  const { video } = await experimental_generateVideo({ model, prompt: still });
  return video.uint8Array;
}
