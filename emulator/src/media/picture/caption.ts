import type { OverlayOptions, Sharp } from 'sharp';
import type { Size } from '../types.ts';
import { textPicture } from './text-picture.ts';

/**
 * Where a text goes: pictures have theirs along the bottom and videos along the top, so that a video made from a
 * picture shows both. `font` and `share` are parts of the shorter side and of the height.
 */
const EDGES = {
  bottom: { font: 0.058, share: 0.3, shade: 'y1="0" y2="1"' },
  top: { font: 0.044, share: 0.2, shade: 'y1="1" y2="0"' },
} as const;

export interface Caption {
  layers: OverlayOptions[];
  /** Pixels of the picture's edge that the caption darkens; even. */
  height: number;
}

/** A text along an edge, on a shade that keeps it legible over any picture. */
export async function captionLayers(text: string, size: Size, edge: keyof typeof EDGES): Promise<Caption> {
  const { font, share, shade } = EDGES[edge];
  const shorter = Math.min(size.width, size.height);
  const margin = Math.round(shorter * 0.05);
  const box = { width: size.width - 2 * margin, height: size.height * share };
  const words = await textPicture(text, box, shorter * font);
  const height = Math.min(size.height, Math.ceil((words.height + margin * 2.4) / 2) * 2);
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}"><defs>` +
    `<linearGradient id="shade" x1="0" x2="0" ${shade}><stop stop-opacity="0"/>` +
    '<stop offset=".5" stop-opacity=".52"/><stop offset="1" stop-opacity=".72"/></linearGradient></defs>' +
    '<rect width="100%" height="100%" fill="url(#shade)"/></svg>';
  const bottom = Math.max(0, size.height - words.height - margin);
  const layers: OverlayOptions[] = [
    { input: Buffer.from(svg), left: 0, top: edge === 'top' ? 0 : size.height - height },
    {
      input: words.data,
      raw: { width: words.width, height: words.height, channels: 4 },
      left: margin,
      top: edge === 'top' ? Math.min(margin, bottom) : bottom,
    },
  ];
  return { layers, height };
}

/** The lower part of a picture out of focus, so that a caption it came with does not show through ours. */
export async function blurredFoot(
  picture: Sharp,
  size: Size,
  captionHeight: number,
): Promise<OverlayOptions> {
  const height = Math.min(size.height, Math.max(captionHeight, Math.round(size.height * 0.36)));
  const top = size.height - height;
  const mask =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}"><defs>` +
    '<linearGradient id="mask" x2="0" y2="1"><stop stop-opacity="0"/><stop offset=".2"/></linearGradient></defs>' +
    '<rect width="100%" height="100%" fill="url(#mask)"/></svg>';
  const input = await picture
    .clone()
    .extract({ left: 0, top, width: size.width, height })
    .blur(Math.max(1, Math.min(size.width, size.height) * 0.02))
    .ensureAlpha()
    .composite([{ input: Buffer.from(mask), blend: 'dest-in' }])
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { input, left: 0, top };
}
