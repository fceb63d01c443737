import sharp from 'sharp';
import type { Size } from '../types.ts';
import { UnreadableMediaError } from '../unreadable-media-error.ts';

/**
 * The size of a picture when it stands upright. Only its head is read: damage shows when it is rendered.
 *
 * @throws UnreadableMediaError naming `role` when the bytes are no picture
 */
export async function pictureSize(bytes: Uint8Array, role: string): Promise<Size> {
  try {
    const { autoOrient } = await sharp(bytes).metadata();
    return { width: autoOrient.width, height: autoOrient.height };
  } catch (error) {
    throw new UnreadableMediaError(`The ${role} is not a readable picture`, { cause: error });
  }
}
