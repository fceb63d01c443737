import {
  AdtsOutputFormat,
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FlacOutputFormat,
  Input,
  MkvOutputFormat,
  MovOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import sharp from 'sharp';
import { TINY_MEDIA } from '../../../emulator/src/media/tiny-media.ts';

interface Video {
  codec: 'avc' | 'vp8';
  config: VideoDecoderConfig;
  frame: Uint8Array;
}

interface Audio {
  codec: 'aac' | 'mp3' | 'opus' | 'flac';
  config: AudioDecoderConfig;
  frame: Uint8Array;
}

const FRAMES = 12;
const MONO = { numberOfChannels: 1 };
const VP8: Video = {
  codec: 'vp8',
  config: { codec: 'vp8', codedWidth: 16, codedHeight: 16 },
  frame: Uint8Array.of(0x10, 2, 0, 0x9d, 1, 0x2a, 16, 0, 16, 0, 0, 0),
};
const AAC: Audio = {
  codec: 'aac',
  config: { codec: 'mp4a.40.2', sampleRate: 44_100, ...MONO, description: Uint8Array.of(0x12, 0x08) },
  frame: new Uint8Array(40).fill(0x21),
};
/** MPEG 1 layer III, 128 kbit/s at 44.1 kHz, one channel: 417 bytes a frame. */
const MP3: Audio = {
  codec: 'mp3',
  config: { codec: 'mp3', sampleRate: 44_100, ...MONO },
  frame: Uint8Array.from({ length: 417 }, (_, at) => [0xff, 0xfb, 0x90, 0xc0][at] ?? 0),
};
const OPUS: Audio = {
  codec: 'opus',
  config: {
    codec: 'opus',
    sampleRate: 48_000,
    ...MONO,
    description: Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1'),
  },
  frame: Uint8Array.of(0x78, 0xff, 0xfe),
};
const FLAC: Audio = {
  codec: 'flac',
  config: {
    codec: 'flac',
    sampleRate: 44_100,
    ...MONO,
    // A STREAMINFO block: 4096 samples a block, 44.1 kHz, one channel of 16 bits.
    description: Buffer.from(
      `664c6143800000221000100000000000000000ac40f0${'0'.repeat(8)}${'0'.repeat(32)}`,
      'hex',
    ),
  },
  frame: Uint8Array.of(0xff, 0xf8, 0xc9, 0x08, 0, 0xc2, 0, 0, 0, 0, 0, 0),
};

/** A small whole file of every format that outputs come in, by its extension. */
export async function sampleFiles(): Promise<Record<string, Uint8Array>> {
  const avc = await h264();
  const picture = sharp({ create: { width: 30, height: 20, channels: 3, background: 'teal' } });
  const images = await Promise.all(
    (['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif'] as const).map(
      async (format) => [format, await picture.clone().toFormat(format).toBuffer()] as const,
    ),
  );
  return {
    ...Object.fromEntries(images),
    wav: TINY_MEDIA.audio.bytes,
    mp4: await muxed(new Mp4OutputFormat({ fastStart: 'in-memory' }), avc, AAC),
    'fragmented mp4': await muxed(new Mp4OutputFormat({ fastStart: 'fragmented' }), avc, AAC),
    mov: await muxed(new MovOutputFormat(), avc, AAC),
    mkv: await muxed(new MkvOutputFormat(), avc, OPUS),
    webm: await muxed(new WebMOutputFormat(), VP8, OPUS),
    m4a: await muxed(new Mp4OutputFormat(), undefined, AAC),
    aac: await muxed(new AdtsOutputFormat(), undefined, AAC),
    mp3: await muxed(new Mp3OutputFormat(), undefined, MP3),
    ogg: await muxed(new OggOutputFormat(), undefined, OPUS),
    flac: await muxed(new FlacOutputFormat(), undefined, FLAC),
  };
}

/** The stand-in's own picture, as a film. */
async function h264(): Promise<Video> {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(TINY_MEDIA.video.bytes) });
  const track = await input.getPrimaryVideoTrack();
  const config = await track?.getDecoderConfig();
  const packet = track && (await new EncodedPacketSink(track).getFirstPacket());
  if (!config || !packet) throw new Error('the tiny video has no packet');
  return { codec: 'avc', config, frame: packet.data };
}

/** Frames come in pairs whose order of showing is turned round, so that MP4 needs a `ctts` box. */
async function muxed(
  format: OutputFormat,
  video: Video | undefined,
  audio: Audio | undefined,
): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const pictures = video && new EncodedVideoPacketSource(video.codec);
  const sound = audio && new EncodedAudioPacketSource(audio.codec);
  if (pictures) output.addVideoTrack(pictures, { frameRate: 10 });
  if (sound) output.addAudioTrack(sound);
  await output.start();
  for (let index = 0; index < FRAMES; index += 1) {
    const shown = index === 0 ? 0 : index % 2 === 1 ? index + 1 : index - 1;
    if (video && pictures) {
      const type = index === 0 ? 'key' : 'delta';
      await pictures.add(new EncodedPacket(video.frame, type, shown / 10, 0.1), {
        decoderConfig: video.config,
      });
    }
    if (audio && sound) {
      await sound.add(new EncodedPacket(audio.frame, 'key', index / 10, 0.1), {
        decoderConfig: audio.config,
      });
    }
  }
  await output.finalize();
  if (target.buffer === null) throw new Error('the muxer gave no file');
  return new Uint8Array(target.buffer);
}

/** 107 bytes: an ADTS frame that says that it is 0 bytes long, so that the next one begins where it does. */
export const HANGING_ADTS = Buffer.concat([Buffer.of(0xff, 0xf1, 0x50, 0x80, 0, 0, 0), Buffer.alloc(100)]);

/** An MP4 whose `stts` box says that its samples are four thousand millions. */
export function hungryMp4(mp4: Uint8Array): Buffer {
  const bytes = Buffer.from(mp4);
  bytes.writeUInt32BE(4_000_000_000, bytes.indexOf('stts') + 12);
  return bytes;
}
