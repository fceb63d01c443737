import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';

/** What a player would find in a file. Seconds and pixels. */
export async function videoFacts(bytes: Uint8Array) {
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  const keyFrames: number[] = [];
  let frames = 0;
  if (video) {
    for await (const { type, timestamp } of new EncodedPacketSink(video).packets()) {
      frames += 1;
      if (type === 'key') keyFrames.push(timestamp);
    }
  }
  return {
    mimeType: await input.getMimeType(),
    duration: await input.computeDuration(),
    title: (await input.getMetadataTags()).title,
    codec: await video?.getCodec(),
    width: await video?.getDisplayWidth(),
    height: await video?.getDisplayHeight(),
    frames,
    keyFrames,
    audioCodec: await audio?.getCodec(),
    audioDuration: await audio?.computeDuration(),
  };
}
