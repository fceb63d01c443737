import { wavFile } from '../../../emulator/src/media/sound/wav.ts';
import { renderVideo } from '../../../emulator/src/media/video/render-video.ts';
import { plain } from './picture/picture-facts.ts';

/** URLs that inputs name. */
export const FILES = {
  red: 'https://files.example/red.png',
  blue: 'https://files.example/blue.png',
  tall: 'https://files.example/tall.png',
  clip: 'https://files.example/clip.mp4',
  silent: 'https://files.example/silent.mp4',
  tone: 'https://files.example/tone.wav',
} as const;

const CLIP = { prompt: 'a clip', width: 64, height: 36, durationSeconds: 2, seed: 5 };

/** What stands behind each. */
export async function filesByUrl(): Promise<ReadonlyMap<string, Uint8Array>> {
  const samples = Int16Array.from({ length: 22_050 }, (_, at) => Math.sin(at / 8) * 9_000);
  return new Map([
    [FILES.red, await plain(64, 64, 'red', 'png')],
    [FILES.blue, await plain(64, 64, 'blue', 'png')],
    [FILES.tall, await plain(64, 128, 'green', 'png')],
    [FILES.clip, (await renderVideo({ ...CLIP, width: 80, audio: true })).bytes],
    [FILES.silent, (await renderVideo(CLIP)).bytes],
    [FILES.tone, wavFile(samples, 22_050)],
  ]);
}
