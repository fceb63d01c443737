import type { RenderedAsset, Size } from '../types.ts';
import { decodeImage } from './decode-image.ts';
import { encodeImage, outputFormat } from './encode-image.ts';

export interface UpscaleRequest {
  /** The source picture: jpeg, png, gif or webp. */
  image: Uint8Array;
  /** 2 doubles width and height (API specification, model Q). */
  factor: number;
  /** Pixels that the longer side gets at most: "output resolution up to 4K" (the same). */
  longestSide: number;
}

/** The size of an upscaled picture: the factor applies as far as the longest side allows. */
function upscaledSize(source: Size, factor: number, longestSide: number): Size {
  const scale = Math.min(factor, longestSide / Math.max(source.width, source.height));
  return {
    width: Math.max(1, Math.round(source.width * scale)),
    height: Math.max(1, Math.round(source.height * scale)),
  };
}

/**
 * The source picture resampled (Lanczos, three lobes), in its own format; a gif becomes a png.
 *
 * @throws UnreadableMediaError when the source cannot be read; RangeError for a factor that is not positive.
 */
export async function renderUpscale({ image, factor, longestSide }: UpscaleRequest): Promise<RenderedAsset> {
  if (!(factor > 0)) throw new RangeError(`The upscale factor must be positive, not ${factor}`);
  const source = await decodeImage(image, 'source image');
  const size = upscaledSize(source, factor, longestSide);
  const resampled = source.open().resize({ ...size, fit: 'fill', kernel: 'lanczos3' });
  return encodeImage(resampled, outputFormat(source.format), 'upscaled');
}
