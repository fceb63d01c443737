import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import type { EncodedAudio, EncodedVideo } from './encoded-track.ts';
import { eraseTimes } from './mp4-times.ts';

/** Text that players show about the file. */
export interface Mp4Tags {
  title: string;
  comment: string;
}

/**
 * Puts tracks into an MP4 that plays while it downloads (`moov` first). The same tracks give the same bytes.
 */
export async function writeMp4(
  video: EncodedVideo,
  audio: EncodedAudio | undefined,
  tags: Mp4Tags,
): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const videoSource = new EncodedVideoPacketSource(video.codec);
  output.addVideoTrack(videoSource, { rotation: video.rotation });
  const audioSource = audio && new EncodedAudioPacketSource(audio.codec);
  if (audioSource) output.addAudioTrack(audioSource);
  output.setMetadataTags(tags);
  await output.start();
  for (const packet of video.packets) await videoSource.add(packet, { decoderConfig: video.config });
  for (const packet of audio?.packets ?? []) {
    if (audioSource && audio) await audioSource.add(packet, { decoderConfig: audio.config });
  }
  await output.finalize();
  if (target.buffer === null) throw new Error('The MP4 writer gave no file');
  const bytes = new Uint8Array(target.buffer);
  eraseTimes(bytes);
  return bytes;
}
