import { describe, expect, it } from 'vitest';
import { GUESSES } from '../../../emulator/src/assumptions.ts';
import { dimensions } from '../../../emulator/src/media/dimensions.ts';

const ASPECTS = ['1:1', '16:9', '3:2', '2:3', '4:5', '5:4', '9:16', '3:4', '4:3', '21:9'];

describe('the size of an output', () => {
  it.each([
    ['1:1', '1K', 1024, 1024],
    ['16:9', '1K', 1024, 576],
    ['9:16', '2K', 1152, 2048],
    ['21:9', '4K', 4096, 1756],
    ['16:9', '720p', 1280, 720],
    ['9:16', '720p', 720, 1280],
    ['1:1', '540p', 540, 540],
    ['4:3', '360p', 480, 360],
    ['16:9', '768p', 1366, 768],
    ['21:9', '1080p', 2520, 1080],
  ])('of %s at %s is %i x %i', (aspect, resolution, width, height) => {
    expect(dimensions(aspect, resolution)).toEqual({ width, height });
  });

  it('is even, within 4K for pictures, and keeps the aspect, for every aspect and resolution', () => {
    for (const aspect of ASPECTS) {
      const [across = 1, down = 1] = aspect.split(':').map(Number);
      for (const resolution of Object.keys(GUESSES.resolutions.usual)) {
        const { width, height } = dimensions(aspect, resolution);
        expect([width % 2, height % 2]).toEqual([0, 0]);
        expect(Math.abs(width / height / (across / down) - 1)).toBeLessThan(0.005);
        const most = resolution.endsWith('K') ? 4096 : 2520;
        expect(Math.max(width, height)).toBeLessThanOrEqual(most);
      }
    }
  });

  it('follows the input picture where that is asked for, and is square without one', () => {
    expect(dimensions('match_input_image', '1K', { width: 3000, height: 2000 })).toEqual({
      width: 1024,
      height: 682,
    });
    expect(dimensions('auto', '720p', { width: 200, height: 400 })).toEqual({ width: 720, height: 1440 });
    expect(dimensions('auto', '2K')).toEqual({ width: 2048, height: 2048 });
    expect(dimensions('auto', '1K', { width: 9000, height: 1 })).toEqual({ width: 1024, height: 256 });
  });

  it('refuses what it does not know', () => {
    expect(() => dimensions('0:9', '1K')).toThrow(RangeError);
    expect(() => dimensions('wide', '1K')).toThrow(RangeError);
    expect(() => dimensions('1:1', '8K')).toThrow(RangeError);
  });
});
