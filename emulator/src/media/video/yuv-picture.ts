import type { Sharp } from 'sharp';
import type { Size } from '../types.ts';

/**
 * A picture in the encoder's own terms: planes of luma and of two chromas at half the width and height (4:2:0),
 * one after the other in `planes`. Limited range BT.709, which the file's `colr` box says too.
 */
export interface YuvPicture extends Size {
  planes: Uint8Array;
}

/** Bytes of a 4:2:0 picture. */
export function yuvBytes({ width, height }: Size): number {
  return (width * height * 3) / 2;
}

/** Pixels of a picture, which must have even sides, as planes. Alpha is dropped. */
export async function toYuv(image: Sharp): Promise<YuvPicture> {
  const { data, info } = await image
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { ...convert(data, info, 3).picture, width: info.width, height: info.height };
}

/** A see-through picture: its planes and an alpha for each luma sample. */
export interface YuvOverlay extends YuvPicture {
  alpha: Uint8Array;
}

/** Pixels of an RGBA picture with even sides as planes with their alpha. */
export async function toYuvOverlay(image: Sharp): Promise<YuvOverlay> {
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { picture, alpha } = convert(data, info, 4);
  return { ...picture, alpha };
}

function convert(rgb: Uint8Array, { width, height }: Size, channels: 3 | 4) {
  const planes = new Uint8Array(yuvBytes({ width, height }));
  const alpha = new Uint8Array(channels === 4 ? width * height : 0);
  const blueAt = width * height;
  const redAt = blueAt + blueAt / 4;
  for (let y = 0, pixel = 0, chroma = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, pixel += 1) {
      const at = pixel * channels;
      const red = rgb[at] ?? 0;
      const green = rgb[at + 1] ?? 0;
      const blue = rgb[at + 2] ?? 0;
      if (channels === 4) alpha[pixel] = rgb[at + 3] ?? 0;
      planes[pixel] = (47 * red + 157 * green + 16 * blue + 4224) >> 8;
      if ((x & 1) === 1 || (y & 1) === 1) continue;
      planes[blueAt + chroma] = (-26 * red - 86 * green + 112 * blue + 32_896) >> 8;
      planes[redAt + chroma] = (112 * red - 102 * green - 10 * blue + 32_896) >> 8;
      chroma += 1;
    }
  }
  return { picture: { planes, width, height }, alpha };
}

/** Lays an overlay as wide as the frame over the frame's top. */
export function blendOverTop(frame: YuvPicture, overlay: YuvOverlay): void {
  const { width, height, planes, alpha } = overlay;
  for (let at = 0; at < width * height; at += 1) {
    const share = alpha[at] ?? 0;
    if (share > 0) frame.planes[at] = between(frame.planes[at] ?? 0, planes[at] ?? 0, share);
  }
  const half = width / 2;
  for (let plane = 0; plane < 2; plane += 1) {
    const frameAt = frame.width * frame.height * (1 + plane / 4);
    const overlayAt = width * height * (1 + plane / 4);
    for (let y = 0; y < height / 2; y += 1) {
      for (let x = 0; x < half; x += 1) {
        const share = alpha[y * 2 * width + x * 2] ?? 0;
        const at = y * half + x;
        if (share === 0) continue;
        frame.planes[frameAt + at] = between(
          frame.planes[frameAt + at] ?? 0,
          planes[overlayAt + at] ?? 0,
          share,
        );
      }
    }
  }
}

/** Fades a frame over to another of the same size; `share` is from 0 (unchanged) to 255. */
export function fadeTo(frame: YuvPicture, other: YuvPicture, share: number): void {
  for (let at = 0; at < frame.planes.length; at += 1) {
    frame.planes[at] = between(frame.planes[at] ?? 0, other.planes[at] ?? 0, share);
  }
}

function between(from: number, to: number, share: number): number {
  return from + (((to - from) * share + 127) >> 8);
}
