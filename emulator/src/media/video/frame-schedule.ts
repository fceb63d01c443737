import type { Size } from '../types.ts';

/** When the frames of a video are shown. `step` seconds lie between two starts; the last one fills the rest. */
export interface FrameSchedule {
  count: number;
  step: number;
  duration: number;
}

/** Frames a second: fewer for larger and longer videos, so that none takes long to encode. */
const FASTEST = 15;
const SLOWEST = 6;

/** Pixels to encode before the frame rate drops, about 1.7 s on one core (measured: 16 ns a pixel, 720p). */
const PIXEL_BUDGET = 100_000_000;

/** However long a video is asked for, no more than this is encoded (4 s); its frames then stand longer. */
const MOST_PIXELS = 250_000_000;

/**
 * Plans the frames of a video of exactly `duration` seconds.
 *
 * @throws RangeError for a duration that is not positive and finite.
 */
export function frameSchedule(duration: number, { width, height }: Size): FrameSchedule {
  if (!(duration > 0 && Number.isFinite(duration))) {
    throw new RangeError(`A video's duration must be positive, not ${duration}`);
  }
  const affordable = Math.floor(PIXEL_BUDGET / (width * height * duration));
  const rate = Math.min(FASTEST, Math.max(SLOWEST, affordable));
  const wanted = Math.max(1, Math.round(duration * rate));
  const most = Math.max(1, Math.floor(MOST_PIXELS / (width * height)));
  return wanted <= most
    ? { count: wanted, step: 1 / rate, duration }
    : { count: most, step: duration / most, duration };
}
