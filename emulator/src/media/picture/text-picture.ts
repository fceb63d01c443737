import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Size } from '../types.ts';

/** Bare machines have no fonts at all, so the font comes from a package. */
const FONT_FILE = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'));
const FONT_NAME = 'DejaVu Sans Bold';

/** Longer texts are cut: nobody reads 3000 characters off a picture. */
const MAX_CHARACTERS = 240;

/** Pixels of font size below which nothing can be read. */
const SMALLEST = 6;

/** Pixels of a text on nothing: RGBA, four bytes a pixel. */
export interface TextPicture extends Size {
  data: Buffer;
}

/**
 * Text in white, wrapped, as large as `largest` (pixels of font size) and the box allow. DejaVu covers Latin,
 * Greek, Cyrillic, Arabic, Hebrew and their neighbours; of other scripts, a machine without fonts for them gets
 * boxes with the characters' numbers.
 */
export async function textPicture(text: string, box: Size, largest: number): Promise<TextPicture> {
  const markup = `<span foreground="white">${escapeMarkup(shorten(printable(text)))}</span>`;
  const [width, height] = [Math.max(1, Math.floor(box.width)), Math.max(1, Math.floor(box.height))];
  let fontSize = Math.max(SMALLEST, largest);
  for (;;) {
    const { data, info } = await sharp({
      text: {
        text: markup,
        font: `${FONT_NAME} ${fontSize.toFixed(1)}`,
        fontfile: FONT_FILE,
        width,
        wrap: 'word-char',
        rgba: true,
        dpi: 72, // so that a point is a pixel
      },
    })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const excess = Math.max(info.height / height, info.width / width);
    if (excess <= 1) return { data, width: info.width, height: info.height };
    if (fontSize <= SMALLEST)
      return cropped({ data, width: info.width, height: info.height }, { width, height });
    // A wrapped text's area grows with the square of its font size.
    fontSize = Math.max(SMALLEST, Math.min(fontSize * 0.95, fontSize / Math.sqrt(excess)));
  }
}

/** The upper left of a text that no font size fits into its box. */
async function cropped(text: TextPicture, box: Size): Promise<TextPicture> {
  const size = { width: Math.min(text.width, box.width), height: Math.min(text.height, box.height) };
  const raw = { width: text.width, height: text.height, channels: 4 } as const;
  const data = await sharp(text.data, { raw })
    .extract({ left: 0, top: 0, ...size })
    .raw()
    .toBuffer();
  return { data, ...size };
}

/** Without what Pango refuses or shows as noise: control characters, lone surrogates, runs of blanks. */
function printable(text: string): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .replaceAll(/[\uFFFE\uFFFF]/g, '')
    .trim();
  // Pango draws nothing for a text of invisible characters alone, and sharp takes that for an error.
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(clean) ? clean : '…';
}

function shorten(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= MAX_CHARACTERS) return text;
  return `${characters.slice(0, MAX_CHARACTERS).join('').trimEnd()}…`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
