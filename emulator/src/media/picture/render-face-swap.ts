import sharp from 'sharp';
import type { RenderedAsset, Size } from '../types.ts';
import { decodeImage } from './decode-image.ts';
import { encodeImage, outputFormat } from './encode-image.ts';

export interface FaceSwapRequest {
  /** The picture that keeps everything but the face: jpeg, png, gif or webp. */
  inputImage: Uint8Array;
  /** The picture that the face is taken from. */
  swapImage: Uint8Array;
}

/**
 * The input picture, size and format kept, with a feathered oval of the swap picture where portraits have their
 * face: in the middle, in the upper part. No face is looked for; of the swap picture the part that draws the eye
 * (skin tones count, by libvips' attention strategy) is taken.
 *
 * @throws UnreadableMediaError naming the picture that cannot be read.
 */
export async function renderFaceSwap({ inputImage, swapImage }: FaceSwapRequest): Promise<RenderedAsset> {
  const input = await decodeImage(inputImage, 'input image');
  const swap = await decodeImage(swapImage, 'swap image');
  const oval = ovalSize(input);
  const face = await swap
    .open()
    .resize({ ...oval, fit: 'cover', position: sharp.strategy.attention })
    .toColourspace('srgb')
    .ensureAlpha()
    .composite([{ input: await featheredOval(oval), blend: 'dest-in' }])
    .png({ compressionLevel: 1 })
    .toBuffer();
  const composed = input.open().composite([
    {
      input: face,
      left: Math.round((input.width - oval.width) / 2),
      top: Math.min(input.height - oval.height, Math.round(input.height * 0.4 - oval.height / 2)),
    },
  ]);
  return encodeImage(composed, outputFormat(input.format), 'face-swap');
}

function ovalSize({ width, height }: Size): Size {
  const tall = Math.min(height * 0.56, width * 0.72);
  return { width: Math.max(1, Math.round(tall * 0.76)), height: Math.max(1, Math.round(tall)) };
}

async function featheredOval({ width, height }: Size): Promise<Buffer> {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><radialGradient id="oval">` +
    '<stop offset=".78" stop-color="#fff"/><stop offset="1" stop-color="#fff" stop-opacity="0"/>' +
    '</radialGradient></defs><rect width="100%" height="100%" fill="url(#oval)"/></svg>';
  return sharp(Buffer.from(svg)).png({ compressionLevel: 1 }).toBuffer();
}
