import { isRecord } from '../../../src/api/json/is-record.ts';
import type { ModelId } from '../../../src/api/models/registry.ts';
import type { Assumptions } from '../assumptions.ts';
import { dimensions } from './dimensions.ts';
import { pictureSize } from './picture/picture-size.ts';
import type { RenderingFields } from './rendering-fields.ts';
import type { MediaRenderers } from './threads/media-renderers.ts';
import type { ImageFormat, RenderedAsset, Size } from './types.ts';

/** What a rendering works with. */
interface RenderingContext {
  input: RenderingFields;
  prompt: string;
  seed: number;
  /** How many files to make. */
  results: number;
  /** Size and length of an output whose caller named none. */
  usual: { aspect?: string | undefined; resolution?: string | undefined; seconds: number };
  /** Pixels of each resolution. */
  resolutions: Assumptions['resolutions'];
  longestUpscaledSide: number;
  renderers: MediaRenderers;
  /** The bytes behind a URL of the input. @throws UnreadableMediaError */
  fetch: (url: string) => Promise<Uint8Array>;
}

interface Rendered {
  assets: RenderedAsset[];
  /** Further properties of `data`. */
  extra?: Record<string, unknown>;
}

type Rendering = (context: RenderingContext) => Promise<Rendered>;

/**
 * How each model's outputs are made from its input. What an input picture does is assumed. Every one may throw UnreadableMediaError: the task then fails with
 * `P_INVALID_INPUT`.
 */
export const RENDERINGS: Readonly<Record<ModelId, Rendering>> = {
  'speech-a': (context) =>
    speech(context, { voice: ['speaker_voice_embedding_file_url', 'voice'], language: 'language' }),
  'speech-b': (context) => speech(context, { voice: ['voice'], language: 'language_code' }),
  'face-swap-c': async ({ input, results, renderers, fetch }) => {
    const inputImage = await fetch(input.text('input_image') ?? '');
    const swapImage = await fetch(input.text('swap_image') ?? '');
    return { assets: repeated(results, await renderers.renderFaceSwap({ inputImage, swapImage })) };
  },
  'video-d': (context) =>
    context.input.text('video_url') === undefined
      ? video(context, { firstFrame: ['image_url'], references: ['image_urls', 'reference_image_urls'] })
      : editedVideo(context),
  'video-e': (context) => video(context, { firstFrame: ['first_frame_url'] }),
  'video-f': (context) => video(context, { firstFrame: ['first_frame_url'] }),
  'video-g': (context) => video(context, { firstFrame: ['first_frame_url'] }),
  'lip-sync-h': async ({ input, results, renderers, fetch }) => {
    const video = await fetch(input.text('video_url') ?? '');
    const audio = await fetch(input.text('audio_url') ?? '');
    return { assets: repeated(results, await renderers.renderLipSync({ video, audio })) };
  },
  'video-i': (context) => video(context, { references: ['image_urls'] }),
  'video-j': (context) => video(context, { firstFrame: ['image_url'], audio: true }),
  'video-k': (context) =>
    video(context, {
      firstFrame: ['first_frame_url', 'image_url'],
      lastFrame: 'last_frame_url',
      references: ['image_urls'],
    }),
  'image-l': (context) => image(context, { references: ['image_urls'] }),
  'image-m': (context) => image(context, { references: ['image_urls'] }),
  'image-n': (context) => image(context, { references: ['image_urls'], elements: 'elements' }),
  'image-o': (context) => image(context, { references: ['image_url'] }),
  'image-p': (context) => image(context, { references: ['image_urls'] }),
  'upscale-q': async ({ input, results, longestUpscaledSide: longestSide, renderers, fetch }) => {
    const source = await fetch(input.text('image_url') ?? '');
    const factor = input.number('upscale_factor') ?? 2;
    return {
      assets: repeated(results, await renderers.renderUpscale({ image: source, factor, longestSide })),
    };
  },
  'image-r': (context) => image(context, { references: ['image_urls'] }),
  'image-s': (context) => image(context, { references: ['image_urls'] }),
};

const FORMATS: Readonly<Record<string, ImageFormat>> = {
  png: 'png',
  jpeg: 'jpeg',
  jpg: 'jpeg',
  webp: 'webp',
};

async function image(
  { input, prompt, seed, results, usual, resolutions, renderers, fetch }: RenderingContext,
  how: {
    references: string[];
    /** A field with a list of objects that hold pictures of their own. */
    elements?: string;
  },
): Promise<Rendered> {
  const urls = [...input.urls(...how.references), ...elementUrls(input.list(how.elements ?? ''))];
  const references = await fetchAll(fetch, urls);
  const size = dimensions(
    input.text('aspect_ratio') ?? usual.aspect ?? 'auto',
    input.text('resolution') ?? usual.resolution ?? '1K',
    references[0] && (await pictureSize(references[0], 'input image')),
    resolutions,
  );
  const format = FORMATS[input.text('output_format') ?? 'png'] ?? 'png';
  const render = (index: number) =>
    renderers.renderImage({ ...size, prompt, format, seed, index, count: results, references });
  return { assets: await Promise.all(indexes(results).map(render)) };
}

async function video(
  { input, prompt, seed, results, usual, resolutions, renderers, fetch }: RenderingContext,
  how: {
    /** Fields of which the first that is given holds the first frame. */
    firstFrame?: string[];
    lastFrame?: string;
    references?: string[];
    audio?: boolean;
  },
): Promise<Rendered> {
  const [firstFrame] = await fetchAll(fetch, input.urls(...(how.firstFrame ?? [])).slice(0, 1));
  const [lastFrame] = await fetchAll(fetch, input.urls(how.lastFrame ?? ''));
  const references = await fetchAll(fetch, input.urls(...(how.references ?? [])));
  const picture = firstFrame ?? references[0];
  const startsFrom: Size | undefined = picture && (await pictureSize(picture, 'first frame'));
  // Without an aspect a video looks like the picture that it starts from.
  const aspect = input.text('aspect_ratio') ?? usual.aspect ?? (startsFrom === undefined ? '16:9' : 'auto');
  const movement = MOVEMENTS.find((name) => name === input.text('movement_amplitude'));
  const request = {
    ...dimensions(aspect, input.text('resolution') ?? usual.resolution ?? '720p', startsFrom, resolutions),
    prompt,
    durationSeconds: input.number('duration') ?? usual.seconds,
    seed,
    references,
    audio: how.audio === true || input.flag('bgm'),
    ...(firstFrame === undefined ? {} : { firstFrame }),
    ...(lastFrame === undefined ? {} : { lastFrame }),
    ...(movement === undefined ? {} : { movement }),
  };
  return {
    assets: await Promise.all(indexes(results).map((index) => renderers.renderVideo({ ...request, index }))),
  };
}

const MOVEMENTS = ['small', 'medium', 'large'] as const;

async function editedVideo({
  input,
  prompt,
  seed,
  results,
  renderers,
  fetch,
}: RenderingContext): Promise<Rendered> {
  const source = await fetch(input.text('video_url') ?? '');
  const durationSeconds = input.number('duration');
  const asset = await renderers.renderVideoEdit({
    video: source,
    prompt,
    seed,
    audio: input.text('audio_setting') === 'origin' ? 'origin' : 'auto',
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
  });
  return { assets: repeated(results, asset) };
}

async function speech(
  { input, prompt, results, renderers }: RenderingContext,
  fields: { voice: string[]; language: string },
): Promise<Rendered> {
  const voice = fields.voice.map((name) => input.text(name)).find((name) => name !== undefined);
  const language = input.text(fields.language);
  const { words, ...asset } = await renderers.renderSpeech({
    text: prompt,
    ...(voice === undefined ? {} : { voice }),
    ...(language === undefined ? {} : { language }),
  });
  const extra = input.flag('timestamps') ? { timestamps: words } : {};
  return { assets: repeated(results, asset), extra };
}

/** Pictures that elements of model N carry, under whatever names. */
export function elementUrls(elements: readonly unknown[]): string[] {
  return elements
    .filter(isRecord)
    .flatMap((element) => Object.values(element).flat())
    .filter((value): value is string => typeof value === 'string' && /^https?:\/\//i.test(value));
}

async function fetchAll(fetch: RenderingContext['fetch'], urls: readonly string[]): Promise<Uint8Array[]> {
  return await Promise.all(urls.map(fetch));
}

function indexes(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function repeated(count: number, asset: RenderedAsset): RenderedAsset[] {
  return indexes(count).map(() => asset);
}
