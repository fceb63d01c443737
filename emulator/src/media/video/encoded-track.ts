import type { AudioCodec, EncodedPacket, VideoCodec } from 'mediabunny';

/** A video track as packets in decode order, ready to be put into a file. Times are seconds. */
export interface EncodedVideo {
  codec: VideoCodec;
  config: VideoDecoderConfig;
  packets: readonly EncodedPacket[];
  /** Clockwise turn that a player applies; phones film sideways. */
  rotation: 0 | 90 | 180 | 270;
}

/** A sound track as packets. */
export interface EncodedAudio {
  codec: AudioCodec;
  config: AudioDecoderConfig;
  packets: readonly EncodedPacket[];
}

/** When the last of the tracks' packets ends, in seconds. */
export function endOf(...tracks: readonly (readonly EncodedPacket[] | undefined)[]): number {
  const ends = tracks.flatMap((packets = []) =>
    packets.map(({ timestamp, duration }) => timestamp + duration),
  );
  return ends.reduce((latest, end) => Math.max(latest, end), 0);
}

/**
 * The packets of the first `end` seconds, none of them lasting longer than that. Video packets come in decode
 * order, where one that is shown after the end may be needed by one before it, so the cut is after the last
 * packet that is shown in time.
 */
export function trimPackets(packets: readonly EncodedPacket[], end: number): EncodedPacket[] {
  const lastNeeded = packets.findLastIndex(({ timestamp }) => timestamp < end - 1e-6);
  return packets.slice(0, lastNeeded + 1).map((packet) => {
    const { timestamp, duration } = packet;
    const overhang = timestamp + duration > end && timestamp < end;
    return overhang ? packet.clone({ duration: end - timestamp }) : packet;
  });
}
