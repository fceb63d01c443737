import sharp, { type Sharp } from 'sharp';
import type { Size } from '../types.ts';
import { UnreadableMediaError } from '../unreadable-media-error.ts';

/** What the API takes as pictures (model L: jpeg, png, gif or webp). SVG and PDF stay out: they are programs. */
const FORMATS: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif', 'webp']);

/** 10,000 x 10,000: more would take the emulator's memory, 400 MB at most as it is. */
const MOST_PIXELS = 100_000_000;

export interface DecodedImage extends Size {
  /** sharp's name of the format that it came in. */
  format: string;
  /** A fresh pipeline over the upright picture, in sRGB. */
  open(): Sharp;
}

/**
 * Opens a picture (of an animation: its first frame), turned upright as its EXIF says; the size is the upright
 * one. Every pixel is decoded once, so that damage shows here and not halfway through a composite.
 *
 * @throws UnreadableMediaError naming `role` when the bytes are no whole jpeg, png, gif or webp.
 */
export async function decodeImage(bytes: Uint8Array, role: string): Promise<DecodedImage> {
  try {
    const { format } = await sharp(bytes).metadata();
    if (!FORMATS.has(format)) throw new Error(`its format is ${format}`);
    const { data, info } = await sharp(bytes, { failOn: 'error', limitInputPixels: MOST_PIXELS })
      .autoOrient()
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return { format, width, height, open: () => sharp(data, { raw: { width, height, channels } }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableMediaError(`The ${role} is not a readable jpeg, png, gif or webp: ${reason}`, {
      cause: error,
    });
  }
}
