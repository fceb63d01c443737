import { randomUUID } from 'node:crypto';
import { experimental_generateSpeech, experimental_generateVideo, generateImage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markedTiny } from '../../emulator/src/media/tiny-media.ts';
import { createDarkroom, type DarkroomProvider } from '../../src/ai-sdk/index.ts';
import { ContentRejectedError, DarkroomClient, KeyInUseError } from '../../src/client/index.ts';
import { rejection } from '../rejection.ts';
import { FAST, openWorld, type World } from '../workflows/world.ts';

let world: World;
let darkroom: DarkroomProvider;

beforeAll(async () => {
  world = await openWorld();
  const { taskQueue, outputs } = world.config;
  const folder = outputs.kind === 'folder' ? outputs.path : '';
  darkroom = createDarkroom(new DarkroomClient(world.client, { taskQueue, outputs: folder }));
});
afterAll(() => world.close());

const policy = FAST;

/** What the API was sent for a generation. */
function sentFor(key: string): Record<string, unknown> | undefined {
  const [charge] = world.charges(`generation/${key}`);
  return world.emulator.service().tasks.get(charge?.taskId ?? '')?.input;
}

describe('with the AI SDK', () => {
  it('a picture is bought once for its key, also where the answer to its submit is lost', async () => {
    const key = randomUUID();
    const prompt = `a red fox ${key}`;
    world.loseAnswer(prompt);
    const model = darkroom.image('image-l', { key, policy });
    const make = () => generateImage({ model, prompt, aspectRatio: '16:9' });
    const [{ image, providerMetadata, warnings }, again] = await Promise.all([make(), make()]);
    expect(image.mediaType).toBe('image/png');
    expect(again.image.base64).toBe(image.base64);
    expect(world.charges(`generation/${key}`)).toHaveLength(1);
    expect(sentFor(key)).toMatchObject({ prompt, aspect_ratio: '16:9' });
    expect(warnings).toEqual([]);
    const [about] = providerMetadata['darkroom']?.images ?? [];
    const { taskId } = world.charges(`generation/${key}`)[0] ?? {};
    expect(about).toMatchObject({ taskId, stored: expect.stringMatching(/^file:/) as unknown });
    const other = await rejection(generateImage({ model, prompt: 'another' }));
    expect(other).toBeInstanceOf(KeyInUseError);
  });

  it('more pictures than a task makes are those of several', async () => {
    const key = randomUUID();
    const model = darkroom.image('image-l', { policy });
    const providerOptions = { darkroom: { key, input: { resolution: '2K' } } };
    const { images } = await generateImage({ model, prompt: 'six foxes', n: 6, providerOptions });
    expect(images).toHaveLength(6);
    expect(sentFor(key)).toMatchObject({ n: 4, resolution: '2K' });
    expect(sentFor(`${key}.2`)).toMatchObject({ n: 2 });
  });

  it('several generations have different seeds, and their credits add up to the bill', async () => {
    const key = randomUUID();
    const model = darkroom.image('image-r', { key, policy });
    const made = await generateImage({ model, prompt: 'six foxes', n: 6, seed: 7 });
    expect([sentFor(key)?.['seed'], sentFor(`${key}.2`)?.['seed']]).toEqual([7, 8]);
    const about = made.providerMetadata['darkroom']?.images as { credits?: number }[];
    const told = about.reduce((sum, { credits = 0 }) => sum + credits, 0);
    const charges = [key, `${key}.2`].flatMap((one) => world.charges(`generation/${one}`));
    expect(told).toBe(charges.reduce((sum, { credits }) => sum + credits, 0));
    const most = darkroom.image('image-r', { key: `${key}-most`, policy });
    await generateImage({ model: most, prompt: 'six foxes', n: 6, seed: Number.MAX_SAFE_INTEGER });
    expect(sentFor(`${key}-most.2`)).toMatchObject({ seed: Number.MAX_SAFE_INTEGER - 1 });
  });

  it('an error of one of several names the tasks of the others, which are paid for', async () => {
    const key = randomUUID();
    world.fault({
      on: 'task',
      match: { workflowIncludes: `generation/${key}.2` },
      fault: { kind: 'fail', code: 'CONTENT_REJECTED' },
    });
    const model = darkroom.image('image-l', { key, policy });
    const error = await rejection(generateImage({ model, prompt: 'six foxes', n: 6 }));
    const [bought] = world.charges(`generation/${key}`);
    expect(error).toBeInstanceOf(ContentRejectedError);
    expect((error as Error).message).toContain(`others of this call are bought: ${bought?.taskId}`);
  });

  it('a size is said by the fields of the model, or refused before anything is bought', async () => {
    const key = randomUUID();
    const sized = (size: `${number}x${number}`, model: 'image-l' | 'image-o' = 'image-l') =>
      generateImage({ model: darkroom.image(model, { key, policy }), prompt: 'a fox', size });
    await expect(sized('1000x1024')).rejects.toThrow('size: image-l has no way to say 1000x1024');
    await expect(sized('1024x1024', 'image-o')).rejects.toThrow('size: image-o has no way');
    expect(world.charges(`generation/${key}`)).toEqual([]);
    await sized('2048x1152');
    expect(sentFor(key)).toMatchObject({ aspect_ratio: '16:9', resolution: '2K' });
  });

  it('a count in the input is refused before anything is bought: what it makes more would be thrown away', async () => {
    const key = randomUUID();
    const model = darkroom.image('image-l', { key, policy, input: { n: 4 } });
    expect(await rejection(generateImage({ model, prompt: 'a fox' }))).toMatchObject({
      message: "input.n: how many is said by the AI SDK's own option n",
    });
    expect(world.charges(`generation/${key}`)).toEqual([]);
  });

  it('pictures that are sent along are uploaded, and what a model has no field for is warned of', async () => {
    const key = randomUUID();
    const photo = new Uint8Array(markedTiny('image', key).bytes);
    const { warnings } = await generateImage({
      model: darkroom.image('upscale-q', { key, policy }),
      prompt: { text: 'larger', images: [photo] },
      seed: 1,
    });
    expect(warnings.map((one) => one.type === 'unsupported' && one.feature)).toEqual(['prompt', 'seed']);
    const sent = await fetch(String(sentFor(key)?.['image_url']));
    expect(new Uint8Array(await sent.arrayBuffer())).toEqual(photo);
  });

  it('a film begins with the picture that it is given', async () => {
    const key = randomUUID();
    const { video } = await experimental_generateVideo({
      model: darkroom.video('video-k', { key, policy }),
      prompt: 'slow zoom',
      frameImages: [
        { image: 'https://images.example/first.png', frameType: 'first_frame' },
        { image: 'https://images.example/last.png', frameType: 'last_frame' },
      ],
      resolution: '1280x720',
      providerOptions: { darkroom: { input: { mode: 'frames' } } },
    });
    expect(video.mediaType).toBe('video/mp4');
    expect(video.uint8Array.byteLength).toBeGreaterThan(100);
    expect(sentFor(key)).toMatchObject({
      first_frame_url: 'https://images.example/first.png',
      last_frame_url: 'https://images.example/last.png',
      resolution: '720p',
    });
  });

  it('speech speaks the language that it is told', async () => {
    const key = randomUUID();
    const model = darkroom.speech('speech-a', { key, policy });
    const { audio } = await experimental_generateSpeech({
      model,
      text: 'Guten Tag',
      language: 'de',
      instructions: 'slowly',
    });
    expect(audio.uint8Array.byteLength).toBeGreaterThan(10);
    expect(sentFor(key)).toMatchObject({ text: 'Guten Tag', language: 'German', prompt: 'slowly' });
    const other = randomUUID();
    const coded = darkroom.speech('speech-b', { key: other, policy });
    await experimental_generateSpeech({ model: coded, text: 'Guten Tag', language: 'de' });
    expect(sentFor(other)).toMatchObject({ language_code: 'de' });
  });

  it('a failure is thrown as the client throws it, and not bought again by the retries of the AI SDK', async () => {
    const key = randomUUID();
    const model = darkroom.image('image-l', { key, policy });
    const error = await rejection(generateImage({ model, prompt: '[[reject]]', maxRetries: 3 }));
    expect(error).toBeInstanceOf(ContentRejectedError);
    expect(world.charges(`generation/${key}`).length).toBeLessThanOrEqual(1);
    expect(() => darkroom.image('video-f')).toThrow('video-f makes video, not image');
  });
});
