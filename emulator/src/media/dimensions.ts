import { type Assumptions, GUESSES } from '../assumptions.ts';
import type { Size } from './types.ts';

/** Aspects that follow the first input picture (models L and N). */
const FOLLOW_INPUT: ReadonlySet<string> = new Set(['match_input_image', 'auto']);

/** Input pictures wider or taller than this are followed only so far, so that no side shrinks to nothing. */
const MAX_RATIO = 4;

/**
 * The size of an output in pixels.
 *
 * @param aspect `16:9` and the like, or `match_input_image` or `auto`, which follow `input` (square without it).
 * @param resolution a name such as `1K` or `720p`.
 * @param input size of the first input picture.
 * @param resolutions the assumption of that name: `1K`, `2K`, `4K` fix the longest side (so nothing is above 4096),
 *   `720p` and its like fix the shortest one (so `720p` at 16:9 is 1280x720 and at 9:16 is 720x1280).
 * @returns whole even numbers, because H.264 in 4:2:0 needs them; at most half a percent off the aspect.
 * @throws RangeError for an aspect or a resolution that it does not know.
 */
export function dimensions(
  aspect: string,
  resolution: string,
  input?: Size,
  resolutions: Assumptions['resolutions'] = GUESSES.resolutions.usual,
): Size {
  const ratio = FOLLOW_INPUT.has(aspect) ? inputRatio(input) : namedRatio(aspect);
  const [, fixed] = Object.entries(resolutions).find(([name]) => name === resolution) ?? [];
  if (fixed === undefined) throw new RangeError(`Unknown resolution: ${resolution}`);
  const { side, pixels } = fixed;
  const wide = ratio >= 1;
  const widthIsFixed = side === 'longest' ? wide : !wide;
  return widthIsFixed
    ? { width: pixels, height: even(pixels / ratio) }
    : { width: even(pixels * ratio), height: pixels };
}

function namedRatio(aspect: string): number {
  const [, width, height] = /^(\d{1,3}):(\d{1,3})$/.exec(aspect) ?? [];
  const ratio = Number(width) / Number(height);
  if (!(ratio >= 1 / MAX_RATIO && ratio <= MAX_RATIO))
    throw new RangeError(`Unknown aspect ratio: ${aspect}`);
  return ratio;
}

function inputRatio(input: Size | undefined): number {
  if (input === undefined) return 1;
  return Math.min(MAX_RATIO, Math.max(1 / MAX_RATIO, input.width / input.height));
}

function even(pixels: number): number {
  return Math.max(2, Math.round(pixels / 2) * 2);
}
