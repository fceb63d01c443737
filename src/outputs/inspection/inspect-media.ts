import { imageSize } from 'image-size';
import { ALL_FORMATS, CustomSource, Input, type InputTrack } from 'mediabunny';
import { HEAD_BYTES, type MediaType, mediaType } from './media-type.ts';

/** A file that can be read anywhere; `read` gives the bytes from `start` up to, not including, `end`. */
export interface MediaSource {
  size: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/** What a file's bytes tell. Lengths in pixels, `duration` in seconds to the millisecond; null where unknown. */
export interface MediaFacts {
  format: MediaType | null;
  /** The format's type, `audio/…` instead of `video/…` where there is no picture in it. */
  contentType: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
}

/** JPEG's size comes after its metadata, which can hold a colour profile and a thumbnail. */
const IMAGE_HEAD_BYTES = 1024 * 1024;
/** Above this, only a duration that is written down is taken: else every packet may have to be read. */
const SCANNED_BYTES = 256 * 1024 * 1024;
const PATIENCE = 15_000;

/**
 * Reads type, dimensions and duration from a file's bytes. Files that are unknown, broken or take more than 15 s
 * give nulls; only a failing `read` throws, with its own error.
 */
export async function inspectMedia(source: MediaSource): Promise<MediaFacts> {
  const failure: { error?: unknown } = {};
  const watched: MediaSource = {
    size: source.size,
    read: async (start, end) => {
      try {
        return await source.read(start, Math.min(end, source.size));
      } catch (error) {
        failure.error ??= error;
        throw error;
      }
    },
  };
  const media = mediaType(await watched.read(0, Math.min(HEAD_BYTES, source.size)));
  const nothing: MediaFacts = {
    format: media ?? null,
    contentType: media?.type ?? null,
    width: null,
    height: null,
    duration: null,
  };
  try {
    if (media?.kind === 'image') return { ...nothing, ...(await imageFacts(watched)) };
    if (media?.kind === 'container') return { ...nothing, ...(await containerFacts(watched, media)) };
  } catch {
    if (failure.error !== undefined) throw failure.error;
  }
  return nothing;
}

async function imageFacts(source: MediaSource): Promise<Partial<MediaFacts>> {
  const { width, height } = imageSize(await source.read(0, Math.min(IMAGE_HEAD_BYTES, source.size)));
  return width > 0 && height > 0 ? { width, height } : {};
}

async function containerFacts(source: MediaSource, media: MediaType): Promise<Partial<MediaFacts>> {
  const input = new Input({
    formats: ALL_FORMATS,
    source: new CustomSource({
      getSize: () => source.size,
      read: (start, end) => source.read(start, end),
      prefetchProfile: 'network',
      handleUnhandledError: () => undefined, // read-ahead that nobody waits for; real reads throw
    }),
  });
  const timer = setTimeout(() => input.dispose(), PATIENCE); // pending reads then throw
  try {
    const video = await input.getPrimaryVideoTrack();
    const track = video ?? (await input.getPrimaryAudioTrack());
    if (track === null) return {};
    return {
      contentType:
        video === null ? media.type.replace(/^video\/(?=mp4|webm|x-matroska)/, 'audio/') : media.type,
      width: video === null ? null : await video.getDisplayWidth(),
      height: video === null ? null : await video.getDisplayHeight(),
      duration: await durationOf(input, track, source.size),
    };
  } finally {
    clearTimeout(timer);
    input.dispose();
  }
}

/** The picture's duration, or the sound's where there is no picture: an audio track often runs on a little. */
async function durationOf(input: Input, track: InputTrack, size: number): Promise<number | null> {
  const seconds =
    size <= SCANNED_BYTES
      ? await input.computeDuration([track])
      : await input.getDurationFromMetadata([track]);
  return seconds !== null && Number.isFinite(seconds) && seconds > 0
    ? Math.round(seconds * 1_000) / 1_000
    : null;
}
