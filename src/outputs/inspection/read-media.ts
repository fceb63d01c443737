import { imageSize } from 'image-size';
import { ALL_FORMATS, CustomSource, Input, type InputTrack } from 'mediabunny';
import type { MediaFacts, MediaSource } from './media-facts.ts';
import { HEAD_BYTES, type MediaFormat, sniffFormat } from './media-format.ts';

/** JPEG's size comes after its metadata, which can hold a colour profile and a thumbnail. */
const IMAGE_HEAD_BYTES = 1024 * 1024;
/** Above this, only a duration that is written down is taken: else every packet may have to be read. */
const SCANNED_BYTES = 48 * 1024 * 1024;

/**
 * Reads type, dimensions and duration from a file's bytes; what is unknown or broken gives nulls. It trusts its
 * libraries with neither time nor memory: it runs in the inspection's own process.
 */
export async function readMedia(
  source: MediaSource,
  tellSoFar: (facts: MediaFacts) => void,
): Promise<MediaFacts> {
  const format = await sniffFormat(await source.read(0, Math.min(HEAD_BYTES, source.size)));
  const nothing = { format, contentType: format?.type ?? null, width: null, height: null, duration: null };
  tellSoFar(nothing);
  try {
    if (format?.type.startsWith('image/')) return { ...nothing, ...(await imageFacts(source)) };
    if (format !== null && /^(?:audio|video)\//.test(format.type)) {
      return { ...nothing, ...(await containerFacts(source, format)) };
    }
  } catch {
    // Broken, or of a kind that the libraries do not know.
  }
  return nothing;
}

async function imageFacts(source: MediaSource): Promise<Partial<MediaFacts>> {
  const { width, height } = imageSize(await source.read(0, Math.min(IMAGE_HEAD_BYTES, source.size)));
  return width > 0 && height > 0 ? { width, height } : {};
}

async function containerFacts(source: MediaSource, { type }: MediaFormat): Promise<Partial<MediaFacts>> {
  const input = new Input({
    formats: ALL_FORMATS,
    source: new CustomSource({
      getSize: () => source.size,
      read: (start, end) => source.read(start, end),
      prefetchProfile: 'network',
      handleUnhandledError: () => undefined, // read-ahead that nobody waits for; real reads throw
    }),
  });
  try {
    const video = await input.getPrimaryVideoTrack();
    const track = video ?? (await input.getPrimaryAudioTrack());
    if (track === null) return {};
    return {
      contentType: video === null ? type.replace(/^video\/(?=mp4|webm|x-matroska)/, 'audio/') : type,
      width: video === null ? null : await video.getDisplayWidth(),
      height: video === null ? null : await video.getDisplayHeight(),
      duration: await durationOf(input, track, source.size),
    };
  } finally {
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
