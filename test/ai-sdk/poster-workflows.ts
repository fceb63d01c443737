// Before `ai`, which needs what it brings.
import '../../src/ai-sdk/workflow.ts';
import { experimental_generateSpeech, experimental_generateVideo, generateImage } from 'ai';
import { darkroom, storedUri } from '../../src/ai-sdk/workflow.ts';
import { FAST } from '../workflows/fast-policy.ts';

/** Workflows as somebody writes them who uses the AI SDK and Darkroom. */

const policy = FAST;

/** Draws two pictures, one after the other. @returns where they lie */
export async function posters(first: string, second: string): Promise<string[]> {
  const model = darkroom.image('image-l', { policy });
  const one = await generateImage({ model, prompt: first });
  const other = await generateImage({ model, prompt: second });
  return [one.image, other.image].map(storedUri);
}

/** A picture, larger, as a film, and a voice to it. @returns where each lies, and what kind of file it is */
export async function trailer(prompt: string): Promise<Record<string, string>> {
  const { image, providerMetadata } = await generateImage({
    model: darkroom.image('image-l', { policy, name: 'still' }),
    prompt,
  });
  const { image: large } = await generateImage({
    model: darkroom.image('upscale-q', { policy }),
    prompt: { images: [image.base64] },
  });
  const { video } = await experimental_generateVideo({
    model: darkroom.video('video-f', { policy }),
    prompt: { text: 'slow zoom', image: large.uint8Array },
  });
  const { audio } = await experimental_generateSpeech({
    model: darkroom.speech('speech-a', { policy }),
    text: 'Coming soon',
  });
  const [about] = providerMetadata['darkroom']?.images ?? [];
  return {
    still: storedUri(image),
    base64: image.base64,
    about: JSON.stringify(about),
    large: storedUri(large),
    film: storedUri(video),
    filmType: video.mediaType,
    voice: storedUri(audio),
  };
}

/** Sends along what a workflow cannot have, and an abort signal. @returns what is said of each */
export async function refused(): Promise<string[]> {
  const model = darkroom.image('upscale-q', { policy });
  const said = (error: unknown) => String(error);
  const bytes = generateImage({ model, prompt: { images: [new Uint8Array([137, 80, 78, 71])] } });
  const prompt = 'a fox';
  const { signal: abortSignal } = new AbortController();
  const aborted = generateImage({ model: darkroom.image('image-l', { policy }), prompt, abortSignal });
  return await Promise.all([bytes, aborted].map(async (call) => await call.then(() => 'bought', said)));
}

/** @returns what the API's refusal is thrown as */
export async function rejected(): Promise<string> {
  return await generateImage({ model: darkroom.image('image-l', { policy }), prompt: '[[reject]]' }).then(
    () => 'bought',
    (error: { type?: string }) => error.type ?? 'no type',
  );
}
