import { registerAacEncoder } from '@mediabunny/aac-encoder';
import {
  type AudioSample,
  AudioSampleSource,
  type EncodedPacket,
  Mp4OutputFormat,
  NullTarget,
  Output,
} from 'mediabunny';
import { type EncodedAudio, trimPackets } from '../video/encoded-track.ts';

registerAacEncoder();

/** Sample rates that AAC has; others are resampled to the last one. */
const RATES: ReadonlySet<number> = new Set([
  96_000, 88_200, 64_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 48_000,
]);
const FALLBACK_RATE = 48_000;
/** Samples of silence that the encoder puts before the sound (libavcodec's initial padding). */
const PRIMING = 1024;

/**
 * Encodes sound as AAC, cut at `end` seconds. The encoder's own delay is moved before zero, where the file's
 * edit list hides it, so that the sound starts when it should.
 *
 * @param samples what to encode, in order; they are closed here.
 */
export async function encodeAac(
  samples: AsyncIterable<AudioSample> | Iterable<AudioSample>,
  { sampleRate, channels }: { sampleRate: number; channels: number },
  end: number,
): Promise<EncodedAudio> {
  const rate = RATES.has(sampleRate) ? sampleRate : FALLBACK_RATE;
  const packets: EncodedPacket[] = [];
  let config: AudioDecoderConfig | undefined;
  const source = new AudioSampleSource({
    codec: 'aac',
    bitrate: 64_000 * Math.min(2, channels),
    transform: { sampleRate: rate, numberOfChannels: Math.min(2, channels) },
    onEncodedPacket: (packet, meta) => {
      packets.push(packet);
      config ??= meta?.decoderConfig;
    },
  });
  // The file that this output writes is thrown away: only its packets are wanted.
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: false }), target: new NullTarget() });
  output.addAudioTrack(source);
  await output.start();
  for await (const sample of samples) {
    if (sample.timestamp < end) await source.add(sample);
    sample.close();
  }
  await output.finalize();
  if (config === undefined) throw new Error('The AAC encoder gave no sound');
  const shift = PRIMING / rate;
  const timed = packets.map((packet) => packet.clone({ timestamp: packet.timestamp - shift }));
  return { codec: 'aac', config, packets: trimPackets(timed, end) };
}
