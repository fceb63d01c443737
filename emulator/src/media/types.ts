/** Formats that the image models can be asked for (API specification, models M to O and R). */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** Pixels. */
export interface Size {
  width: number;
  height: number;
}

/**
 * One file that a renderer made. `width` and `height` are pixels (null for sound), `duration` is seconds (null
 * for pictures). The bytes may be shared with a cache: read them, never write to them.
 */
export interface RenderedAsset {
  bytes: Uint8Array;
  contentType: string;
  fileName: string;
  width: number | null;
  height: number | null;
  duration: number | null;
}
