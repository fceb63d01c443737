import type { ModelId } from '../../../src/api/models/registry.ts';
import { pictureSize } from './picture/picture-size.ts';
import type { RenderingFields } from './rendering-fields.ts';
import { elementUrls } from './renderings.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';
import { readAudioDuration, readVideo } from './video/read-tracks.ts';

const PICTURES = [
  'input_image',
  'swap_image',
  'image_url',
  'image_urls',
  'reference_image_urls',
  'first_frame_url',
  'last_frame_url',
];

/** Pixels that each side of an input picture must have (API specification, model S). */
const SMALLEST_SIDE: Readonly<Partial<Record<ModelId, number>>> = { 'image-s': 384 };

/**
 * Whether the files that an input names can be fetched, are what their fields take, and are large enough.
 *
 * @returns how long the longest video or sound lasts, in seconds
 * @throws UnreadableMediaError for the first one that is not
 */
export async function checkInputFiles(
  model: ModelId,
  input: RenderingFields,
  fetch: (url: string) => Promise<Uint8Array>,
): Promise<number> {
  const smallest = SMALLEST_SIDE[model] ?? 1;
  const pictures = [...input.urls(...PICTURES), ...elementUrls(input.list('elements'))];
  const lengths = await Promise.all([
    ...pictures.map(async (url) => {
      const { width, height } = await pictureSize(await fetch(url), 'input image');
      if (Math.min(width, height) >= smallest) return 0;
      throw new UnreadableMediaError(
        `An input image has ${width}x${height} pixels; ${smallest} a side are needed`,
      );
    }),
    ...input
      .urls('video_url')
      .map(async (url) => (await readVideo(await fetch(url), 'source video')).duration),
    ...input.urls('audio_url').map(async (url) => readAudioDuration(await fetch(url), 'source audio')),
  ]);
  return Math.max(0, ...lengths);
}
