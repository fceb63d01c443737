import {
  ALL_FORMATS,
  AudioSampleSink,
  BufferSource,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  Mp4OutputFormat,
  PCM_AUDIO_CODECS,
} from 'mediabunny';
import { encodeAac } from '../sound/encode-aac.ts';
import type { Size } from '../types.ts';
import { UnreadableMediaError } from '../unreadable-media-error.ts';
import { type EncodedAudio, type EncodedVideo, endOf, trimPackets } from './encoded-track.ts';

const CARRIED = new Mp4OutputFormat();
const VIDEO_CODECS: readonly string[] = CARRIED.getSupportedVideoCodecs();
const AUDIO_CODECS: readonly string[] = CARRIED.getSupportedAudioCodecs();
const PCM_CODECS: readonly string[] = PCM_AUDIO_CODECS;

export interface SourceVideo extends Size {
  video: EncodedVideo;
  /** Seconds. */
  duration: number;
}

/**
 * The video track of a file in any container that mediabunny reads (MP4, MOV, WebM, ...), moved to start at 0.
 * `width` and `height` are as shown, after rotation.
 *
 * @throws UnreadableMediaError when there is none or an MP4 cannot carry it.
 */
export async function readVideo(bytes: Uint8Array, role: string): Promise<SourceVideo> {
  return reading(bytes, role, async (input) => {
    const track = await input.getPrimaryVideoTrack();
    const [codec, config] = [await track?.getCodec(), await track?.getDecoderConfig()];
    if (!track || !codec || !config) throw new Error('it has no video track');
    if (!VIDEO_CODECS.includes(codec)) throw new Error(`an MP4 cannot carry its ${codec} video`);
    const start = await track.getFirstTimestamp();
    const packets = [];
    for await (const packet of new EncodedPacketSink(track).packets(undefined, undefined, {
      verifyKeyPackets: true,
    })) {
      packets.push(packet.clone({ timestamp: packet.timestamp - start }));
    }
    if (packets.length === 0) throw new Error('its video track is empty');
    return {
      video: { codec, config, packets, rotation: await track.getRotation() },
      width: await track.getDisplayWidth(),
      height: await track.getDisplayHeight(),
      duration: endOf(packets),
    };
  });
}

/** How long the sound of a file is, in seconds. Throws UnreadableMediaError when there is none. */
export async function readAudioDuration(bytes: Uint8Array, role: string): Promise<number> {
  return reading(bytes, role, async (input) => {
    const track = await input.getPrimaryAudioTrack();
    if (!track) throw new Error('it has no sound track');
    const duration = (await track.computeDuration()) - Math.max(0, await track.getFirstTimestamp());
    if (!(duration > 0)) throw new Error('its sound track is empty');
    return duration;
  });
}

/**
 * The sound of a file, cut at `end` seconds: PCM is encoded as AAC, everything that an MP4 can carry is copied.
 *
 * @returns undefined when the file is readable but has no sound.
 * @throws UnreadableMediaError when the file is not media or an MP4 cannot carry its sound.
 */
export async function readAudio(
  bytes: Uint8Array,
  role: string,
  end: number,
): Promise<EncodedAudio | undefined> {
  return reading(bytes, role, async (input) => {
    const track = await input.getPrimaryAudioTrack();
    if (!track) return undefined;
    const codec = await track.getCodec();
    if (codec !== null && PCM_CODECS.includes(codec)) return encodePcm(track, end);
    const config = await track.getDecoderConfig();
    if (codec === null || config === null || !AUDIO_CODECS.includes(codec)) {
      throw new Error(`an MP4 cannot carry its ${codec ?? 'unknown'} sound`);
    }
    // A negative start is an encoder's priming, which the file's edit list hides here as it did there.
    const start = Math.max(0, await track.getFirstTimestamp());
    const packets = [];
    for await (const packet of new EncodedPacketSink(track).packets()) {
      if (packet.timestamp - start >= end) break;
      packets.push(packet.clone({ timestamp: packet.timestamp - start }));
    }
    return { codec, config, packets: trimPackets(packets, end) };
  });
}

async function encodePcm(track: InputAudioTrack, end: number): Promise<EncodedAudio> {
  const format = { sampleRate: await track.getSampleRate(), channels: await track.getNumberOfChannels() };
  return encodeAac(new AudioSampleSink(track).samples(0, end), format, end);
}

async function reading<T>(bytes: Uint8Array, role: string, read: (input: Input) => Promise<T>): Promise<T> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  try {
    return await read(input);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableMediaError(`The ${role} is not readable: ${reason}`, { cause: error });
  } finally {
    input.dispose();
  }
}
