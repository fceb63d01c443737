import sharp, { type Sharp } from 'sharp';
import { captionLayers } from '../picture/caption.ts';
import { decodeImage } from '../picture/decode-image.ts';
import { composePicture } from '../picture/render-image.ts';
import { seededRandom } from '../random.ts';
import { encodeAac } from '../sound/encode-aac.ts';
import { composeMusic, MUSIC_FORMAT } from '../sound/music.ts';
import type { RenderedAsset, Size } from '../types.ts';
import { chooseMove, shoot } from './camera.ts';
import { encodeH264 } from './encode-h264.ts';
import { frameSchedule } from './frame-schedule.ts';
import { writeMp4 } from './write-mp4.ts';
import {
  blendOverTop,
  fadeTo,
  toYuv,
  toYuvOverlay,
  type YuvOverlay,
  type YuvPicture,
} from './yuv-picture.ts';

export interface VideoRequest extends Size {
  prompt: string;
  durationSeconds: number;
  seed: number;
  /** 0 for the first of several results; each moves another way. */
  index?: number | undefined;
  /** The picture that the video starts with (jpeg, png, gif or webp), cut to the video's aspect. */
  firstFrame?: Uint8Array | undefined;
  /** The picture that it ends with. */
  lastFrame?: Uint8Array | undefined;
  /** Without a first frame: pictures that the video's own picture is made from. */
  references?: readonly Uint8Array[] | undefined;
  /** How far the camera goes (model I's movement amplitude). */
  movement?: 'small' | 'medium' | 'large' | undefined;
  /** Whether it has a tune. */
  audio?: boolean | undefined;
}

/** How much larger than the frame the picture is that the camera moves over. */
const ROOM = { small: 1.07, medium: 1.16, large: 1.36 } as const;

/**
 * A playable MP4 (H.264, and AAC when sound is asked for) of exactly the requested duration and size: a slow move
 * over the first frame, or over a picture of the prompt, with the prompt along the top; towards the end it fades
 * to the last frame where there is one.
 *
 * CPU-heavy (about a second for 5 s of 720p): call it in a worker thread.
 *
 * @throws UnreadableMediaError when an input picture cannot be read; RangeError for odd or absent dimensions or a
 * duration that is not positive.
 */
export async function renderVideo(request: VideoRequest): Promise<RenderedAsset> {
  const { prompt, seed, index = 0, durationSeconds } = request;
  const size = { width: request.width, height: request.height };
  requireEvenSides(size);
  const schedule = frameSchedule(durationSeconds, size);
  const random = seededRandom('video', prompt, seed, index);
  const room = roomFor(size, ROOM[request.movement ?? 'medium']);

  const first = await toYuv(await openingPicture(request, room));
  const last = request.lastFrame && (await toYuv(await fitted(request.lastFrame, 'last frame', room)));
  const caption = await captionOverlay(prompt, size);
  const move = chooseMove(random, room, size, 'in');
  const lastMove = chooseMove(random, room, size, 'out');

  const shot: YuvPicture = { ...size, planes: new Uint8Array(0) };
  const lastShot: YuvPicture = { ...size, planes: new Uint8Array(last ? first.planes.length : 0) };
  const video = await encodeH264(size, schedule, (planes, frame) => {
    const share = schedule.count === 1 ? 0 : frame / (schedule.count - 1);
    shot.planes = planes;
    const fade = last ? Math.round(255 * Math.min(1, Math.max(0, (share - 0.35) / 0.45))) : 0;
    if (fade < 255) shoot(first, move(share), shot);
    if (last && fade > 0) {
      shoot(last, lastMove(share), lastShot);
      if (fade === 255) planes.set(lastShot.planes.subarray(0, planes.length));
      else fadeTo(shot, lastShot, fade);
    }
    blendOverTop(shot, caption);
  });

  const audio = request.audio
    ? await encodeAac(composeMusic(prompt, seed, durationSeconds), MUSIC_FORMAT, durationSeconds)
    : undefined;
  return {
    bytes: await writeMp4(video, audio, {
      title: prompt,
      comment: `Rendered by Darkroom's emulator, seed ${seed}`,
    }),
    contentType: 'video/mp4',
    fileName: `video-${index + 1}.mp4`,
    ...size,
    duration: durationSeconds,
  };
}

function requireEvenSides({ width, height }: Size): void {
  for (const side of [width, height]) {
    if (!(Number.isInteger(side) && side >= 16 && side % 2 === 0)) {
      throw new RangeError(`A video's sides must be even and at least 16 pixels, not ${width}x${height}`);
    }
  }
}

/** The even size of the picture under the camera: the frame's, `factor` times, and the pixels it keeps free. */
function roomFor({ width, height }: Size, factor: number): Size {
  const even = (side: number) => Math.ceil((side * factor + 2) / 2) * 2;
  return { width: even(width), height: even(height) };
}

async function openingPicture(request: VideoRequest, size: Size): Promise<Sharp> {
  if (request.firstFrame) return fitted(request.firstFrame, 'first frame', size);
  const { prompt, seed, index = 0, references } = request;
  return composePicture({ prompt, seed, index, ...size, references }, { lettering: false });
}

async function fitted(bytes: Uint8Array, role: string, size: Size): Promise<Sharp> {
  const image = await decodeImage(bytes, role);
  return image
    .open()
    .resize({ ...size, fit: 'cover' })
    .flatten({ background: '#ffffff' });
}

/** The prompt along the top: pictures made by the emulator have theirs along the bottom. */
async function captionOverlay(prompt: string, size: Size): Promise<YuvOverlay> {
  const { layers, height } = await captionLayers(prompt, size, 'top');
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const strip = sharp({ create: { width: size.width, height, channels: 4, background } }).composite(layers);
  return toYuvOverlay(strip);
}
