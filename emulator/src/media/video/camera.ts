import type { Random } from '../random.ts';
import type { Size } from '../types.ts';
import type { YuvPicture } from './yuv-picture.ts';

/** What the camera sees: the upper left corner and the picture's pixels to one of the frame. */
export interface View {
  x: number;
  y: number;
  scale: number;
}

/** A slow move towards a point of the picture (Ken Burns); `share` of the way is from 0 to 1. */
export type Move = (share: number) => View;

/**
 * A move from the whole picture to a part of it, or back. The picture must be larger than the frame by the same
 * factor on both sides; at the near end one pixel of it is one of the frame.
 */
export function chooseMove(random: Random, picture: Size, frame: Size, direction: 'in' | 'out'): Move {
  // One pixel is kept free at the right and at the bottom, where the interpolation reads the next one.
  const whole = Math.min((picture.width - 2) / frame.width, (picture.height - 2) / frame.height);
  const focus = { x: random.between(0.15, 0.85), y: random.between(0.2, 0.8) };
  return (share) => {
    const near = ease(direction === 'in' ? share : 1 - share);
    const scale = whole + (1 - whole) * near;
    return {
      x: Math.max(0, picture.width - 2 - frame.width * scale) * focus.x,
      y: Math.max(0, picture.height - 2 - frame.height * scale) * focus.y,
      scale,
    };
  };
}

function ease(share: number): number {
  return share * share * (3 - 2 * share);
}

/** Draws what the camera sees, with bilinear interpolation. Measured: 7 ms for 720p. */
export function shoot(picture: YuvPicture, view: View, frame: YuvPicture): void {
  const source = { from: 0, width: picture.width, height: picture.height };
  const target = { from: 0, width: frame.width, height: frame.height };
  drawPlane(picture.planes, source, frame.planes, target, view);
  const halfView = { x: view.x / 2, y: view.y / 2, scale: view.scale };
  for (let plane = 0; plane < 2; plane += 1) {
    drawPlane(picture.planes, chroma(picture, plane), frame.planes, chroma(frame, plane), halfView);
  }
}

interface Plane extends Size {
  from: number;
}

function chroma({ width, height }: Size, plane: number): Plane {
  return { from: width * height * (1 + plane / 4), width: width / 2, height: height / 2 };
}

function drawPlane(
  source: Uint8Array,
  { from, width: sourceWidth, height: sourceHeight }: Plane,
  target: Uint8Array,
  { from: targetFrom, width, height }: Plane,
  { x: left, y: top, scale }: View,
): void {
  const columns = new Int32Array(width);
  const columnShares = new Int32Array(width);
  for (let x = 0; x < width; x += 1) {
    const at = Math.min(left + x * scale, sourceWidth - 2);
    columns[x] = Math.floor(at);
    columnShares[x] = Math.floor((at - Math.floor(at)) * 256);
  }
  let out = targetFrom;
  for (let y = 0; y < height; y += 1) {
    const at = Math.min(top + y * scale, sourceHeight - 2);
    const below = Math.floor((at - Math.floor(at)) * 256);
    const above = 256 - below;
    const row = from + Math.floor(at) * sourceWidth;
    const next = row + sourceWidth;
    for (let x = 0; x < width; x += 1) {
      const column = columns[x] ?? 0;
      const right = columnShares[x] ?? 0;
      const here = 256 - right;
      const upper = (source[row + column] ?? 0) * here + (source[row + column + 1] ?? 0) * right;
      const lower = (source[next + column] ?? 0) * here + (source[next + column + 1] ?? 0) * right;
      target[out] = (upper * above + lower * below + 32_768) >> 16;
      out += 1;
    }
  }
}
