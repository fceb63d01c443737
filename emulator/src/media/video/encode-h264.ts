import h264 from 'h264-mp4-encoder';
import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import type { Size } from '../types.ts';
import type { EncodedVideo } from './encoded-track.ts';
import type { FrameSchedule } from './frame-schedule.ts';
import { yuvBytes } from './yuv-picture.ts';

/** 10 is the encoder's fastest; at 720p it takes 10 ms a frame, half of what 5 to 8 take, for 3 % more bytes. */
const SPEED = 10;
/** From 10 (best) to 51; at 26 our pictures show no blocks at 720p, for about 1.3 Mbit/s. */
const QUANTIZATION = 26;
/** Seconds between key frames, for players that seek. */
const KEY_FRAME_EVERY = 2;

/**
 * Encodes frames as H.264 (baseline) and times them by the schedule.
 *
 * @param draw fills the 4:2:0 planes of frame `index`; the buffer is used again for the next one.
 */
export async function encodeH264(
  size: Size,
  { count, step, duration }: FrameSchedule,
  draw: (planes: Uint8Array, index: number) => void,
): Promise<EncodedVideo> {
  const encoder = await h264.createH264MP4Encoder();
  try {
    encoder.width = size.width;
    encoder.height = size.height;
    encoder.frameRate = 30; // only written into a file that we take apart again
    encoder.speed = SPEED;
    encoder.quantizationParameter = QUANTIZATION;
    encoder.groupOfPictures = Math.max(1, Math.round(KEY_FRAME_EVERY / step));
    encoder.initialize();
    const planes = new Uint8Array(yuvBytes(size));
    for (let index = 0; index < count; index += 1) {
      draw(planes, index);
      encoder.addFrameYuv(planes);
    }
    encoder.finalize();
    const file = encoder.FS.readFile(encoder.outputFilename);
    encoder.FS.unlink(encoder.outputFilename); // its file system is shared and would grow with each video
    return await packetsOf(file, step, duration);
  } finally {
    encoder.delete();
  }
}

async function packetsOf(file: Uint8Array, step: number, duration: number): Promise<EncodedVideo> {
  const input = new Input({ source: new BufferSource(file), formats: [MP4] });
  try {
    const track = await input.getPrimaryVideoTrack();
    const config = await track?.getDecoderConfig();
    if (!track || !config) throw new Error('The H.264 encoder gave no video');
    const packets = [];
    // The encoder's file marks every frame as a key frame: its word is not taken, or seeking would be wrong.
    for await (const packet of new EncodedPacketSink(track).packets(undefined, undefined, {
      verifyKeyPackets: true,
    })) {
      packets.push(packet);
    }
    const colorSpace: VideoColorSpaceInit = {
      primaries: 'bt709',
      transfer: 'bt709',
      matrix: 'bt709',
      fullRange: false,
    };
    return {
      codec: 'avc',
      config: { ...config, colorSpace },
      packets: packets.map((packet, index) => {
        const timestamp = index * step;
        const last = index === packets.length - 1;
        return packet.clone({ timestamp, duration: last ? duration - timestamp : step });
      }),
      rotation: 0,
    };
  } finally {
    input.dispose();
  }
}
