import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { seededRandom } from '../random.ts';
import type { ImageFormat, RenderedAsset, Size } from '../types.ts';
import { blurredFoot, captionLayers } from './caption.ts';
import { decodeImage } from './decode-image.ts';
import { encodeImage } from './encode-image.ts';
import { choosePalette, css, type Hsl } from './palette.ts';
import { sceneSvg } from './scene.ts';
import { textPicture } from './text-picture.ts';

export interface ImageRequest extends Size {
  prompt: string;
  format: ImageFormat;
  seed: number;
  /** 0 for the first of several results; each shows another picture. */
  index: number;
  /** How many results the task makes: with more than one, each wears a badge. */
  count?: number | undefined;
  /** Pictures that this one is made from (jpeg, png, gif or webp); it is visibly derived from them. */
  references?: readonly Uint8Array[] | undefined;
}

/**
 * A picture that shows its prompt: a landscape in colours and shapes that follow the prompt's words and the seed,
 * or the references in those colours, with the prompt written over it.
 *
 * @throws UnreadableMediaError when a reference cannot be read.
 */
export async function renderImage(request: ImageRequest): Promise<RenderedAsset> {
  const picture = await composePicture(request);
  return encodeImage(picture, request.format, `image-${request.index + 1}`);
}

/** The same picture before it is encoded; without its lettering it is what `renderVideo` animates. */
export async function composePicture(
  request: Omit<ImageRequest, 'format'>,
  { lettering = true }: { lettering?: boolean } = {},
): Promise<Sharp> {
  const { prompt, seed, index, count = 1, references = [] } = request;
  const size = { width: request.width, height: request.height };
  const [reference, ...others] = references;
  const first = reference && (await decodeImage(reference, 'reference image'));
  const background =
    first === undefined
      ? sharp(Buffer.from(sceneSvg(prompt, seed, index, size)))
      : first
          .open()
          .resize({ ...size, fit: 'cover' })
          .flatten({ background: '#ffffff' });
  const layers: OverlayOptions[] = [];
  const words = lettering ? await captionLayers(prompt, size, 'bottom') : undefined;
  if (first !== undefined) {
    if (words) layers.push(await blurredFoot(background, size, words.height));
    layers.push(...tint(request), ...(await thumbnails(others, size)));
  }
  if (words) layers.push(...words.layers);
  if (lettering && (count > 1 || index > 0)) {
    layers.push(...(await badgeLayers(`${index + 1}/${Math.max(count, index + 1)}`, size)));
  }
  return background.composite(layers);
}

/** The prompt's colours laid over a reference, so that the result is seen to be a new picture of it. */
function tint({ prompt, seed, index, width, height }: Omit<ImageRequest, 'format'>): OverlayOptions[] {
  const random = seededRandom('tint', prompt, seed, index);
  const palette = choosePalette(prompt, random);
  const wash = (from: Hsl, to: Hsl, opacity: number) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs>` +
        `<linearGradient id="tint" gradientTransform="rotate(${random.between(20, 70).toFixed(0)})">` +
        `<stop stop-color="${css(from)}"/><stop offset="1" stop-color="${css(to)}"/></linearGradient></defs>` +
        `<rect width="100%" height="100%" fill="url(#tint)" fill-opacity="${opacity}"/></svg>`,
    );
  return [
    { input: wash(palette.skyMiddle, palette.accent, 0.62), blend: 'soft-light' },
    { input: wash(palette.skyTop, palette.horizon, 0.3) },
  ];
}

/** The further references as framed pictures in a row at the top. One at a time: each may be large. */
async function thumbnails(references: readonly Uint8Array[], size: Size): Promise<OverlayOptions[]> {
  const gap = Math.max(2, Math.round(Math.min(size.width, size.height) * 0.02));
  const room = Math.floor((size.width - gap) / references.length) - gap;
  const side = Math.max(4, Math.min(room, Math.round(Math.min(size.width, size.height) * 0.24)));
  const frame = Math.max(1, Math.round(side * 0.035));
  const layers: OverlayOptions[] = [];
  for (const [place, bytes] of references.entries()) {
    const image = await decodeImage(bytes, 'reference image');
    const input = await image
      .open()
      .resize({ width: side - 2 * frame, height: side - 2 * frame, fit: 'cover' })
      .flatten({ background: '#ffffff' })
      .extend({ top: frame, bottom: frame, left: frame, right: frame, background: '#ffffff' })
      .png({ compressionLevel: 1 })
      .toBuffer();
    layers.push({ input, left: gap + place * (side + gap), top: gap });
  }
  return layers;
}

/** Which of several results this is, in the upper right corner. */
async function badgeLayers(text: string, size: Size): Promise<OverlayOptions[]> {
  const shorter = Math.min(size.width, size.height);
  const words = await textPicture(text, { width: shorter * 0.5, height: shorter * 0.2 }, shorter * 0.045);
  const [padX, padY] = [Math.round(shorter * 0.022), Math.round(shorter * 0.014)];
  const [width, height] = [words.width + 2 * padX, words.height + 2 * padY];
  const left = Math.max(0, size.width - width - Math.round(shorter * 0.04));
  const top = Math.round(shorter * 0.04);
  const plate =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<rect width="100%" height="100%" rx="${Math.round(height / 2)}" fill-opacity=".55"/></svg>`;
  return [
    { input: Buffer.from(plate), left, top },
    {
      input: words.data,
      raw: { width: words.width, height: words.height, channels: 4 },
      left: left + padX,
      top: top + padY,
    },
  ];
}
