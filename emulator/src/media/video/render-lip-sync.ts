import type { RenderedAsset } from '../types.ts';
import { endOf, trimPackets } from './encoded-track.ts';
import { readAudio, readAudioDuration, readVideo } from './read-tracks.ts';
import { writeMp4 } from './write-mp4.ts';

export interface LipSyncRequest {
  /** The source video, in any usual container. */
  video: Uint8Array;
  /** The source sound: a sound file, or a video's sound track. */
  audio: Uint8Array;
}

/**
 * The input video speaking with the input's sound: its frames as they are (nothing here decodes video, so no
 * lips move), its own sound replaced by the given one, both cut to the shorter of the two.
 *
 * @throws UnreadableMediaError naming the input that cannot be read or carried by an MP4.
 */
export async function renderLipSync({ video, audio }: LipSyncRequest): Promise<RenderedAsset> {
  const source = await readVideo(video, 'source video');
  const duration = Math.min(source.duration, await readAudioDuration(audio, 'source audio'));
  const cut = { ...source.video, packets: trimPackets(source.video.packets, duration) };
  const sound = await readAudio(audio, 'source audio', duration);
  const tags = { title: 'Lip sync', comment: "Put together by Darkroom's emulator" };
  return {
    bytes: await writeMp4(cut, sound, tags),
    contentType: 'video/mp4',
    fileName: 'lip-sync.mp4',
    width: source.width,
    height: source.height,
    duration: endOf(cut.packets, sound?.packets),
  };
}
