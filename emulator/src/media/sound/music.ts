import { AudioSample } from 'mediabunny';
import { seededRandom } from '../random.ts';

const SAMPLE_RATE = 44_100;
/** Semitones of the major pentatonic scale: any of them sound well together. */
const SCALE: readonly number[] = [0, 2, 4, 7, 9, 12, 14, 16];
const NOTE_SECONDS = 0.3;
const FADE_SECONDS = 0.25;

export const MUSIC_FORMAT = { sampleRate: SAMPLE_RATE, channels: 1 } as const;

/** A quiet plucked tune of exactly `duration` seconds, another for each prompt and seed. */
export function composeMusic(prompt: string, seed: number, duration: number): AudioSample[] {
  const random = seededRandom('music', prompt, seed);
  const root = 174.61 * 2 ** (Math.floor(random.between(0, 8)) / 12); // from F3 upwards
  const total = Math.max(1, Math.round(duration * SAMPLE_RATE));
  const pcm = new Float32Array(total);
  const ring = Math.round(SAMPLE_RATE * NOTE_SECONDS * 4);
  for (let start = 0; start < total; start += Math.round(SAMPLE_RATE * NOTE_SECONDS)) {
    const pitch = root * 2 ** (random.pick(SCALE) / 12);
    const loudness = random.between(0.08, 0.16);
    for (let at = 0; at < ring && start + at < total; at += 1) {
      const seconds = at / SAMPLE_RATE;
      const envelope = Math.min(1, seconds / 0.008) * Math.exp(-seconds * 4.5);
      const turn = seconds * pitch * Math.PI * 2;
      const wave = Math.sin(turn) + 0.35 * Math.sin(turn * 2) + 0.12 * Math.sin(turn * 3);
      pcm[start + at] = (pcm[start + at] ?? 0) + wave * envelope * loudness;
    }
  }
  const fade = Math.min(total, Math.round(SAMPLE_RATE * FADE_SECONDS));
  for (let at = 0; at < fade; at += 1) {
    const place = total - 1 - at;
    pcm[place] = ((pcm[place] ?? 0) * at) / fade;
  }
  const sample = {
    format: 'f32',
    numberOfChannels: 1,
    sampleRate: SAMPLE_RATE,
    timestamp: 0,
    data: pcm,
  } as const;
  return [new AudioSample(sample)];
}
