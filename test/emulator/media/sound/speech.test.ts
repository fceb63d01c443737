import EspeakNg from 'espeak-ng';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import { RenderingFields } from '../../../../emulator/src/media/rendering-fields.ts';
import { RENDERINGS } from '../../../../emulator/src/media/renderings.ts';
import { renderSpeech } from '../../../../emulator/src/media/sound/render-speech.ts';
import { speak } from '../../../../emulator/src/media/sound/speak.ts';
import { ESPEAK_VOICES, speechLanguage } from '../../../../emulator/src/media/sound/speech-languages.ts';
import { wordTimings } from '../../../../emulator/src/media/sound/word-timings.ts';

type Context = Parameters<(typeof RENDERINGS)['speech-a']>[0];

const TEXT = 'The quick brown fox jumps over the lazy dog, and then it goes home.';

async function audioFacts(bytes: Uint8Array) {
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  return {
    codec: await track?.getCodec(),
    rate: await track?.getSampleRate(),
    duration: await input.computeDuration(),
  };
}

/** Loudness of a WAV file's samples, of 32767. */
function loudness(wav: Uint8Array): number {
  const samples = new Int16Array(wav.slice(44).buffer);
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
}

describe('speech', () => {
  it('can be heard, in a real container, and says how long it is', async () => {
    const speech = await renderSpeech({ text: TEXT });
    expect(speech).toMatchObject({
      contentType: 'audio/wav',
      fileName: 'speech.wav',
      width: null,
      height: null,
    });
    expect(loudness(speech.bytes)).toBeGreaterThan(1000);
    const { codec, rate, duration } = await audioFacts(speech.bytes);
    expect({ codec, rate }).toEqual({ codec: 'pcm-s16', rate: 22_050 });
    expect(duration).toBeCloseTo(speech.duration ?? 0, 3);
  });

  it('is longer for longer texts', async () => {
    const [once, thrice] = [await renderSpeech({ text: TEXT }), await renderSpeech({ text: TEXT.repeat(3) })];
    expect((thrice.duration ?? 0) / (once.duration ?? 1)).toBeCloseTo(3, 0);
  });

  it('repeats for the same request and differs by text, voice and language', async () => {
    const requests = [
      {},
      { text: 'Another text.' },
      { voice: 'Aria' },
      { voice: 'Brian' },
      { language: 'German' },
    ];
    const spoken = await Promise.all(requests.map((change) => renderSpeech({ text: TEXT, ...change })));
    const [first, ...others] = spoken.map(({ bytes }) => Buffer.from(bytes).toString('base64'));
    const again = await renderSpeech({ text: TEXT });
    expect(Buffer.from(again.bytes).toString('base64')).toBe(first);
    expect(new Set([first, ...others]).size).toBe(requests.length);
  });

  it('speaks texts that look like options, are in any script, or have no word', async () => {
    for (const text of ['--voices', '-w /x', 'こんにちは、世界。', 'สวัสดีชาวโลก', '🦊', '…', '\u0000']) {
      const { bytes, duration } = await renderSpeech({ text });
      expect(bytes.length).toBeGreaterThan(10_000);
      expect(duration).toBeGreaterThanOrEqual(0.25);
    }
  });

  it('has a voice of espeak-ng for every language', async () => {
    const lines: string[] = [];
    await EspeakNg({ arguments: ['--voices'], print: (line) => lines.push(line), printErr: () => {} });
    const known = new Set(lines.map((line) => line.trim().split(/\s+/)[1]));
    expect(Object.values(ESPEAK_VOICES).filter((voice) => !known.has(voice))).toEqual([]);
  });

  it.each([
    ['German', 'Hallo', 'de'],
    ['uk', 'Привіт', 'uk'],
    ['Auto', 'Привет', 'ru'],
    ['auto', '漢字かな', 'ja'],
    [undefined, '你好', 'zh'],
    ['auto', 'hello', 'en'],
  ])('for %s and "%s" is in %s', (requested, text, language) => {
    expect(speechLanguage(requested, text)).toBe(language);
  });

  it('reports a wrong voice as an error and leaves the exit code of the process alone', async () => {
    const before = process.exitCode;
    await expect(speak('hello', { voice: 'xx-none', pitch: 50, speed: 165 })).rejects.toThrow(
      /voice does not exist/,
    );
    expect(process.exitCode).toBe(before);
  });
});

describe('speech of model A', () => {
  /** What it sounds like, by its input. */
  async function sound(fields: Record<string, unknown>): Promise<string> {
    const input = new RenderingFields(fields);
    // Of all renderers and of what pictures need, speech uses one.
    const context = { input, prompt: 'one', results: 1, renderers: { renderSpeech } } as unknown as Context;
    const { assets } = await RENDERINGS['speech-a'](context);
    return Buffer.from(assets[0]?.bytes ?? []).toString('base64');
  }

  it('has the cloned voice of an embedding, whatever preset voice and style are asked for', async () => {
    const cloned = { speaker_voice_embedding_file_url: 'https://example.com/mine.safetensors' };
    const alone = await sound(cloned);
    expect(await sound({ ...cloned, voice: 'Aria' })).toBe(alone);
    expect(await sound({ ...cloned, voice: 'Brian', prompt: 'calmly' })).toBe(alone);
    const aria = await sound({ voice: 'Aria' });
    expect(aria).not.toBe(alone);
    expect(await sound({ voice: 'Brian' })).not.toBe(aria);
  });
});

describe('word timings', () => {
  it('name every word once, in order, within the sound', async () => {
    const { words, duration } = await renderSpeech({ text: TEXT, voice: 'Aria' });
    expect(words.map(({ word }) => word)).toEqual(TEXT.replaceAll(/[.,]/g, '').split(' '));
    let last = 0;
    for (const { start, end } of words) {
      expect(start).toBeGreaterThanOrEqual(last);
      expect(end).toBeGreaterThan(start);
      last = end;
    }
    expect(last).toBeLessThanOrEqual(duration ?? 0);
  });

  it('find words in languages without spaces', async () => {
    const { words } = await renderSpeech({ text: '你好，世界。今天天气很好。', language: 'zh' });
    expect(words.map(({ word }) => word)).toEqual(['你好', '世界', '今天', '天气', '很好']);
  });

  it('put the words between two pauses where the sound is', () => {
    // 0.5 s of sound, 0.3 s of silence, 1 s of sound; a stop of 0.1 s inside it is no pause.
    const rate = 1000;
    const loud = (at: number) => at < 500 || (at >= 800 && !(at >= 1200 && at < 1300));
    const samples = Int16Array.from({ length: 1800 }, (_, at) => (loud(at) ? 5000 : 0));
    const timings = wordTimings('Stop, look around', 'en', samples, rate);
    expect(timings.map(({ word }) => word)).toEqual(['Stop', 'look', 'around']);
    expect(timings[0]).toMatchObject({ start: 0, end: 0.5 });
    expect(timings[1]?.start).toBe(0.8);
    expect(timings[2]?.end).toBe(1.8);
  });

  it('are none for silence', () => {
    expect(wordTimings('', 'en', new Int16Array(100), 1000)).toEqual([]);
    expect(wordTimings('hush', 'en', new Int16Array(100), 1000)).toEqual([
      { word: 'hush', start: 0, end: 0 },
    ]);
  });
});
