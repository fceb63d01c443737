import { encodeAac } from '../sound/encode-aac.ts';
import { composeMusic, MUSIC_FORMAT } from '../sound/music.ts';
import type { RenderedAsset } from '../types.ts';
import { endOf, trimPackets } from './encoded-track.ts';
import { readAudio, readVideo } from './read-tracks.ts';
import { writeMp4 } from './write-mp4.ts';

export interface VideoEditRequest {
  /** The source video, in any usual container. */
  video: Uint8Array;
  /** The requested edit. */
  prompt: string;
  seed: number;
  /** Seconds to keep; the whole video when absent or longer than it. */
  durationSeconds?: number | undefined;
  /** `origin` keeps the source's sound or its silence; `auto` gives a silent source a tune (model D). */
  audio?: 'auto' | 'origin' | undefined;
}

/**
 * The source video cut to the requested duration, with the requested edit as its title. The frames stay as they
 * are: nothing here decodes video, so what the edit would look like is not shown.
 *
 * @throws UnreadableMediaError when the source cannot be read or carried by an MP4.
 */
export async function renderVideoEdit(request: VideoEditRequest): Promise<RenderedAsset> {
  const { prompt, seed, durationSeconds = Number.POSITIVE_INFINITY, audio = 'auto' } = request;
  if (!(durationSeconds > 0)) throw new RangeError(`The duration must be positive, not ${durationSeconds}`);
  const source = await readVideo(request.video, 'source video');
  const duration = Math.min(source.duration, durationSeconds);
  const cut = { ...source.video, packets: trimPackets(source.video.packets, duration) };
  const own = await readAudio(request.video, 'source video', duration);
  const tune = own === undefined && audio === 'auto';
  const sound = tune ? await encodeAac(composeMusic(prompt, seed, duration), MUSIC_FORMAT, duration) : own;
  const tags = { title: prompt, comment: `Edited by Darkroom's emulator, seed ${seed}` };
  return {
    bytes: await writeMp4(cut, sound, tags),
    contentType: 'video/mp4',
    fileName: 'edited.mp4',
    width: source.width,
    height: source.height,
    duration: endOf(cut.packets, sound?.packets),
  };
}
