import { fal } from '@ai-sdk/fal';
import { generateImage } from 'ai';
import type { Order } from '../../service/caller.ts';

/**
 * As the README of the provider has it: one call that answers with the picture, with FAL_KEY from the environment. It
 * retries by itself.
 *
 * Left to its user: an answer that was lost, after which it generates again; a service that was killed, for
 * `generateImage` has no id to go on with. fal cancels such a request when its connection drops, and by an older page
 * charges it in full (https://docs.fal.ai/model-endpoints/synchronous-requests); here it does.
 */
export async function generate({ prompt }: Order): Promise<Uint8Array> {
  const { image } = await generateImage({ model: fal.image('fal-ai/flux/schnell'), prompt });
  return image.uint8Array;
}
