import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Files } from '../files/files.ts';
import type { StoredOutput } from '../tasks/tasks.ts';

/** Twice the size that the page shows them in, for sharp screens. */
const PIXELS = 144;

/** A 4K picture takes a tenth of a second and 50 MB to shrink. */
const fewAtOnce = pLimit(2);

/** Small versions of pictures, made when they are asked for. Outputs never change, so they are kept by ETag. */
const kept = new LRUCache<string, Buffer, () => Promise<Buffer>>({
  max: 1000, // some 3 MB of WebP
  fetchMethod: (_etag, _stale, { context }) => fewAtOnce(context),
});

/**
 * A WebP of at most 144 x 144 pixels.
 *
 * @throws when the bytes are no picture
 */
export function thumbnail(files: Files, output: StoredOutput): Promise<Buffer> {
  const shrink = async (): Promise<Buffer> => {
    // Loaded only where it is needed: it brings native code.
    const { default: sharp } = await import('sharp');
    const bytes = await files.read(output);
    return await sharp(bytes).resize(PIXELS, PIXELS, { fit: 'cover' }).webp({ quality: 75 }).toBuffer();
  };
  return kept.forceFetch(output.etag, { context: shrink });
}
