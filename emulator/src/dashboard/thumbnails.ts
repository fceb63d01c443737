import type { Files } from '../files/files.ts';
import { AtMost } from '../tasks/at-most.ts';
import type { StoredOutput } from '../tasks/tasks.ts';

/** Twice the size that the page shows them in, for sharp screens. */
const PIXELS = 144;

/** Some 3 MB of WebP. */
const KEPT = 1000;

/** A 4K picture takes a tenth of a second and 50 MB to shrink. */
const AT_ONCE = new AtMost(2);

/** Small versions of pictures, made when they are asked for. Outputs never change, so they are kept by ETag. */
const kept = new Map<string, Promise<Buffer>>();

/**
 * A WebP of at most 144 x 144 pixels.
 *
 * @throws when the bytes are no picture
 */
export function thumbnail(files: Files, output: StoredOutput): Promise<Buffer> {
  const known = kept.get(output.etag);
  if (known !== undefined) return known;
  const made = AT_ONCE.run(async () => {
    // Loaded only where it is needed: it brings native code.
    const { default: sharp } = await import('sharp');
    const bytes = await files.read(output);
    return await sharp(bytes).resize(PIXELS, PIXELS, { fit: 'cover' }).webp({ quality: 75 }).toBuffer();
  });
  kept.set(output.etag, made);
  made.catch(() => kept.delete(output.etag));
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? '');
  return made;
}
