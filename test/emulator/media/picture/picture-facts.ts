import sharp, { type Region } from 'sharp';

/** A picture reduced to a grid of `cells` x `cells` colours, for comparing what pictures show. */
export async function grid(bytes: Uint8Array, cells = 12): Promise<number[]> {
  const data = await sharp(bytes)
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize(cells, cells, { fit: 'fill' })
    .raw()
    .toBuffer();
  return [...data];
}

/** The mean red, green and blue of a part of a picture. */
export async function meanColour(bytes: Uint8Array, region: Region): Promise<number[]> {
  const part = await sharp(bytes).extract(region).removeAlpha().png().toBuffer(); // stats() reads its input only
  const { channels } = await sharp(part).stats();
  return channels.map(({ mean }) => mean);
}

/** The mean difference of two grids, from 0 (same) to 255. */
export function difference(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, place) => sum + Math.abs(value - (b[place] ?? 0)), 0) / a.length;
}

/** A picture of one colour. */
export async function plain(
  width: number,
  height: number,
  colour: string,
  format: 'png' | 'jpeg' | 'webp' | 'gif',
) {
  const image = sharp({ create: { width, height, channels: 3, background: colour } });
  return new Uint8Array(await image.toFormat(format).toBuffer());
}
