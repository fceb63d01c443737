import sharp from 'sharp';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { seededRandom } from '../../../../emulator/src/media/random.ts';
import { wavFile } from '../../../../emulator/src/media/sound/wav.ts';
import { UnreadableMediaError } from '../../../../emulator/src/media/unreadable-media-error.ts';
import { chooseMove, shoot } from '../../../../emulator/src/media/video/camera.ts';
import { frameSchedule } from '../../../../emulator/src/media/video/frame-schedule.ts';
import { renderLipSync } from '../../../../emulator/src/media/video/render-lip-sync.ts';
import { renderVideo, type VideoRequest } from '../../../../emulator/src/media/video/render-video.ts';
import { renderVideoEdit } from '../../../../emulator/src/media/video/render-video-edit.ts';
import { toYuv, yuvBytes } from '../../../../emulator/src/media/video/yuv-picture.ts';
import { plain } from '../picture/picture-facts.ts';
import { videoFacts } from './video-facts.ts';

const CLIP: VideoRequest = { prompt: 'slow zoom', width: 192, height: 108, durationSeconds: 1.3, seed: 5 };

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

/** A tone of so many seconds. */
function tone(seconds: number, sampleRate = 22_050): Uint8Array {
  const samples = Int16Array.from({ length: seconds * sampleRate }, (_, at) => Math.sin(at / 8) * 9000);
  return wavFile(samples, sampleRate);
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a generated video', () => {
  it.each([
    { durationSeconds: 2, width: 320, height: 180 },
    { durationSeconds: 3.37, width: 108, height: 192 },
    { durationSeconds: 0.05, width: 64, height: 64 },
  ])('is an MP4 of the asked size and duration: %o', async (asked) => {
    const video = await renderVideo({ ...CLIP, ...asked });
    expect(video).toMatchObject({
      contentType: 'video/mp4',
      fileName: 'video-1.mp4',
      duration: asked.durationSeconds,
    });
    const facts = await videoFacts(video.bytes);
    expect(facts).toMatchObject({
      codec: 'avc',
      width: asked.width,
      height: asked.height,
      title: 'slow zoom',
    });
    expect(facts.duration).toBeCloseTo(asked.durationSeconds, 3);
    expect(facts.audioCodec).toBeUndefined();
  });

  it('starts to play before it is there as a whole, and seeks by true key frames', async () => {
    const { bytes } = await renderVideo({ ...CLIP, durationSeconds: 5 });
    const text = Buffer.from(bytes).toString('latin1');
    expect(text.indexOf('moov')).toBeLessThan(text.indexOf('mdat'));
    const { frames, keyFrames } = await videoFacts(bytes);
    expect(frames).toBe(75);
    expect(keyFrames).toEqual([0, 2, 4]);
  });

  it('has the same bytes at another time, and others for another prompt, seed or first frame', async () => {
    const firstFrame = await plain(64, 64, 'green', 'png');
    const first = await renderVideo({ ...CLIP, audio: true });
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2040-01-01') });
    const again = await renderVideo({ ...CLIP, audio: true });
    vi.useRealTimers();
    expect(same(first.bytes, again.bytes)).toBe(true);
    for (const change of [{ prompt: 'fast zoom' }, { seed: 6 }, { firstFrame }]) {
      const other = await renderVideo({ ...CLIP, audio: true, ...change });
      expect(same(first.bytes, other.bytes)).toBe(false);
    }
  });

  it('has sound as long as itself where that is asked for', async () => {
    const facts = await videoFacts((await renderVideo({ ...CLIP, audio: true })).bytes);
    expect(facts.audioCodec).toBe('aac');
    expect(facts.audioDuration).toBeCloseTo(1.3, 3);
    expect(facts.duration).toBeCloseTo(1.3, 3);
  });

  it('refuses odd sides, no duration and unreadable frames', async () => {
    await expect(renderVideo({ ...CLIP, width: 191 })).rejects.toThrow(RangeError);
    await expect(renderVideo({ ...CLIP, durationSeconds: 0 })).rejects.toThrow(RangeError);
    const firstFrame = new Uint8Array(50);
    await expect(renderVideo({ ...CLIP, firstFrame })).rejects.toThrow(UnreadableMediaError);
  });
});

describe('the frames of a video', () => {
  it('begin with the whole first picture and end nearer', async () => {
    // Left half black, right half white, and a camera that ends where one pixel is one of the frame.
    const [room, size] = [
      { width: 120, height: 80 },
      { width: 100, height: 66 },
    ];
    const half = await plain(60, 80, 'white', 'png');
    const canvas = { create: { ...room, channels: 3, background: 'black' } } as const;
    const picture = await toYuv(sharp(canvas).composite([{ input: Buffer.from(half), left: 60, top: 0 }]));
    const frame = { ...size, planes: new Uint8Array(yuvBytes(size)) };
    const move = chooseMove(seededRandom('test'), room, size, 'in');
    const brightColumns = () => frame.planes.subarray(0, size.width).filter((luma) => luma > 128).length;
    shoot(picture, move(0), frame);
    expect(brightColumns()).toBeGreaterThanOrEqual(49);
    expect(brightColumns()).toBeLessThanOrEqual(51);
    expect(move(1).scale).toBe(1);
    expect(move(0).scale).toBeGreaterThan(1.15);
  });

  it('fill exactly the duration, and never take long to encode', () => {
    const sizes = [
      { width: 640, height: 360 },
      { width: 1280, height: 720 },
      { width: 2520, height: 1080 },
    ];
    for (const size of sizes) {
      for (const duration of [0.01, 1, 3.37, 5, 16, 61.5, 3600]) {
        const { count, step } = frameSchedule(duration, size);
        const lastFrame = duration - (count - 1) * step;
        expect(lastFrame).toBeGreaterThan(0);
        expect(lastFrame).toBeLessThan(step * 1.51);
        expect(count * size.width * size.height).toBeLessThanOrEqual(250_000_000);
      }
    }
  });
});

describe('videos made from videos', () => {
  let source: Uint8Array;
  beforeAll(async () => {
    ({ bytes: source } = await renderVideo({ ...CLIP, durationSeconds: 2 }));
  });

  it('lip sync keeps the frames and takes the given sound, as long as the shorter of the two', async () => {
    const short = await renderLipSync({ video: source, audio: tone(1.2) });
    const facts = await videoFacts(short.bytes);
    expect(facts).toMatchObject({ codec: 'avc', width: 192, height: 108, audioCodec: 'aac', frames: 18 });
    expect(facts.duration).toBeCloseTo(1.2, 2);
    expect(short.duration).toBeCloseTo(1.2, 2);
    const long = await renderLipSync({ video: source, audio: tone(4, 12_345) }); // a rate that AAC does not have
    expect((await videoFacts(long.bytes)).duration).toBeCloseTo(2, 2);
  });

  it('lip sync takes the sound of a video too, and copies it when it is AAC', async () => {
    const speaking = await renderVideo({ ...CLIP, audio: true });
    const facts = await videoFacts((await renderLipSync({ video: source, audio: speaking.bytes })).bytes);
    expect(facts.audioCodec).toBe('aac');
    expect(facts.duration).toBeCloseTo(1.3, 2);
  });

  it('an edit keeps the frames, cut to the duration, under the title of its prompt', async () => {
    const edited = await renderVideoEdit({
      video: source,
      prompt: 'make it night',
      seed: 1,
      durationSeconds: 1,
    });
    const facts = await videoFacts(edited.bytes);
    expect(facts).toMatchObject({ codec: 'avc', width: 192, title: 'make it night', audioCodec: 'aac' });
    expect(facts.duration).toBeCloseTo(1, 2);
    const whole = {
      video: source,
      prompt: 'make it night',
      seed: 1,
      durationSeconds: 15,
      audio: 'origin',
    } as const;
    const original = await videoFacts((await renderVideoEdit(whole)).bytes);
    expect(original.duration).toBeCloseTo(2, 2);
    expect(original.audioCodec).toBeUndefined();
  });

  it('have the same bytes for the same inputs', async () => {
    const sync = () => renderLipSync({ video: source, audio: tone(1) });
    expect(same((await sync()).bytes, (await sync()).bytes)).toBe(true);
  });

  it('refuse what they cannot read, and say which input it was', async () => {
    const junk = new TextEncoder().encode('{"error":"gone"}');
    const unreadable = { name: 'UnreadableMediaError' };
    await expect(renderLipSync({ video: junk, audio: tone(1) })).rejects.toMatchObject(unreadable);
    await expect(renderLipSync({ video: source, audio: junk })).rejects.toThrow(/source audio/);
    await expect(renderLipSync({ video: tone(1), audio: tone(1) })).rejects.toThrow(/no video track/);
    await expect(renderLipSync({ video: source, audio: source })).rejects.toThrow(/no sound track/);
    await expect(renderVideoEdit({ video: junk, prompt: 'x', seed: 1 })).rejects.toMatchObject(unreadable);
  });
});
