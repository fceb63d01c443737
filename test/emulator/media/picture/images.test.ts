import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { renderFaceSwap } from '../../../../emulator/src/media/picture/render-face-swap.ts';
import { type ImageRequest, renderImage } from '../../../../emulator/src/media/picture/render-image.ts';
import { renderUpscale } from '../../../../emulator/src/media/picture/render-upscale.ts';
import { UnreadableMediaError } from '../../../../emulator/src/media/unreadable-media-error.ts';
import { difference, grid, meanColour, plain } from './picture-facts.ts';

const LIGHTHOUSE: ImageRequest = {
  prompt: 'a lighthouse at dawn',
  width: 256,
  height: 144,
  format: 'png',
  seed: 7,
  index: 0,
};

/** Pixels of pure white in the lower part, where the prompt stands. */
async function letterPixels(bytes: Uint8Array): Promise<number> {
  const { width, height } = await sharp(bytes).metadata();
  const top = Math.round(height * 0.6);
  const data = await sharp(bytes)
    .extract({ left: 0, top, width, height: height - top })
    .removeAlpha()
    .raw()
    .toBuffer();
  let count = 0;
  for (let at = 0; at < data.length; at += 3) {
    if (data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255) count += 1;
  }
  return count;
}

describe('a generated image', () => {
  it.each([
    ['png', 'image/png', 'image-1.png'],
    ['jpeg', 'image/jpeg', 'image-1.jpg'],
    ['webp', 'image/webp', 'image-1.webp'],
  ] as const)('comes as %s in the asked size', async (format, contentType, fileName) => {
    const image = await renderImage({ ...LIGHTHOUSE, format });
    expect(image).toMatchObject({ contentType, fileName, width: 256, height: 144, duration: null });
    expect(await sharp(image.bytes).metadata()).toMatchObject({ format, width: 256, height: 144 });
  });

  it('has the same bytes for the same request, and others for another prompt, seed or index', async () => {
    const variants = [{}, { prompt: 'a castle by night' }, { seed: 8 }, { index: 1 }];
    const images = await Promise.all(variants.map((change) => renderImage({ ...LIGHTHOUSE, ...change })));
    const [first, ...others] = images.map(({ bytes }) => Buffer.from(bytes).toString('base64'));
    const again = await renderImage(LIGHTHOUSE);
    expect(Buffer.from(again.bytes).toString('base64')).toBe(first);
    expect(new Set([first, ...others]).size).toBe(variants.length);
  });

  it('shows another picture for another prompt, not only another text', async () => {
    const [dawn, desert] = await Promise.all(
      ['a lighthouse at dawn', 'a desert under the sun'].map(async (prompt) =>
        grid((await renderImage({ ...LIGHTHOUSE, prompt })).bytes),
      ),
    );
    expect(difference(dawn ?? [], desert ?? [])).toBeGreaterThan(15);
  });

  it('shows its prompt: more text, more letters', async () => {
    const [short, long] = await Promise.all(
      ['I', 'the quick brown fox jumps over the lazy dog'].map(async (prompt) =>
        letterPixels((await renderImage({ ...LIGHTHOUSE, width: 512, height: 288, prompt })).bytes),
      ),
    );
    expect(short).toBeGreaterThan(20);
    expect(long).toBeGreaterThan((short ?? 0) * 3);
  });

  it('takes any text for a prompt', async () => {
    const prompts = [
      '',
      '\u0000\u200B',
      '你好，世界',
      'नमस्ते 🦊',
      'مرحبا <b>&amp;',
      '\uD83E',
      'word '.repeat(700),
    ];
    for (const prompt of prompts) {
      const image = await renderImage({ ...LIGHTHOUSE, prompt, width: 96, height: 128, count: 4 });
      expect(image.height).toBe(128);
    }
  });

  it('is visibly made from its references, and not equal to them', async () => {
    const first = await plain(300, 200, '#20c040', 'jpeg');
    const second = await plain(60, 60, '#0000ff', 'gif');
    const image = await renderImage({ ...LIGHTHOUSE, references: [first, second] });
    const middle = await meanColour(image.bytes, { left: 100, top: 40, width: 60, height: 40 });
    const [red = 0, green = 0, blue = 0] = middle; // the first fills the picture
    expect(green).toBeGreaterThan(Math.max(red, blue) + 30);
    const corner = await meanColour(image.bytes, { left: 10, top: 10, width: 16, height: 16 });
    expect(corner.map(Math.round)).toEqual([0, 0, 255]); // the second is framed in the corner
    const unreferenced = await renderImage(LIGHTHOUSE);
    expect(difference(await grid(image.bytes), await grid(unreferenced.bytes))).toBeGreaterThan(15);
  });

  it('refuses a reference that is no picture', async () => {
    const references = [new TextEncoder().encode('<html>not found</html>')];
    await expect(renderImage({ ...LIGHTHOUSE, references })).rejects.toThrow(UnreadableMediaError);
  });
});

describe('upscaling', () => {
  it.each(['png', 'jpeg', 'webp'] as const)(
    'doubles a %s and keeps its format and content',
    async (format) => {
      const source = await renderImage({ ...LIGHTHOUSE, format });
      const upscaled = await renderUpscale({ image: source.bytes, factor: 2, longestSide: 4096 });
      expect(await sharp(upscaled.bytes).metadata()).toMatchObject({ format, width: 512, height: 288 });
      expect(difference(await grid(upscaled.bytes, 32), await grid(source.bytes, 32))).toBeLessThan(3);
    },
  );

  it('stops at 4096 pixels on the longest side', async () => {
    const { width, height } = await renderUpscale({
      image: await plain(2048, 64, 'red', 'jpeg'),
      factor: 3.5,
      longestSide: 4096,
    });
    expect({ width, height }).toEqual({ width: 4096, height: 128 });
  });

  it('keeps transparency', async () => {
    const background = { r: 9, g: 9, b: 9, alpha: 0.5 };
    const image = await sharp({ create: { width: 20, height: 10, channels: 4, background } })
      .png()
      .toBuffer();
    const upscaled = await renderUpscale({ image, factor: 1.5, longestSide: 4096 });
    expect(await sharp(upscaled.bytes).metadata()).toMatchObject({ width: 30, height: 15, hasAlpha: true });
  });

  it('refuses what it cannot read: no picture, half a picture, another kind of picture', async () => {
    const whole = await renderImage({ ...LIGHTHOUSE, format: 'jpeg' });
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
    const unreadable = [new Uint8Array(0), whole.bytes.slice(0, whole.bytes.length / 2), Buffer.from(svg)];
    for (const image of unreadable) {
      await expect(renderUpscale({ image, factor: 2, longestSide: 4096 })).rejects.toThrow(
        UnreadableMediaError,
      );
    }
  });
});

describe('a face swap', () => {
  it('keeps the input picture around a patch of the swap picture', async () => {
    const inputImage = await plain(120, 160, '#ff0000', 'webp');
    const swapImage = await plain(50, 50, '#0000ff', 'png');
    const swapped = await renderFaceSwap({ inputImage, swapImage });
    expect(await sharp(swapped.bytes).metadata()).toMatchObject({ format: 'webp', width: 120, height: 160 });
    const at = async (left: number, top: number) => {
      const colour = await meanColour(swapped.bytes, { left, top, width: 4, height: 4 });
      return colour.map((mean) => (mean > 128 ? 1 : 0));
    };
    expect(await at(60, 64)).toEqual([0, 0, 1]);
    expect(await at(4, 4)).toEqual([1, 0, 0]);
    expect(await at(60, 150)).toEqual([1, 0, 0]);
  });

  it('names the picture that it cannot read', async () => {
    const good = await plain(8, 8, 'red', 'png');
    const bad = new Uint8Array(8);
    await expect(renderFaceSwap({ inputImage: bad, swapImage: good })).rejects.toThrow(/input image/);
    await expect(renderFaceSwap({ inputImage: good, swapImage: bad })).rejects.toThrow(/swap image/);
  });
});
