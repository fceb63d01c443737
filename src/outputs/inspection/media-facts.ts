import type { MediaFormat } from './media-format.ts';

/** A file that can be read anywhere; `read` gives the bytes from `start` up to, not including, `end`. */
export interface MediaSource {
  size: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

/** A file that is in memory. */
export function bytesAsSource(bytes: Uint8Array): MediaSource {
  return { size: bytes.byteLength, read: async (start, end) => bytes.subarray(start, end) };
}

/** What a file's bytes tell. Lengths in pixels, `duration` in seconds to the millisecond; null where unknown. */
export interface MediaFacts {
  format: MediaFormat | null;
  /** The format's type, `audio/…` instead of `video/…` where there is no picture in it. */
  contentType: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
}
