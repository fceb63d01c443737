import { DarkroomClient } from '../../../src/client/index.ts'; // of the package: 'temporal-darkroom'

const darkroom = await DarkroomClient.connect();

export async function film(prompt: string, key: string): Promise<string> {
  const still = await darkroom.generate('image-l', { prompt }, { key: `${key}/still` });
  const input = { prompt: 'slow zoom', first_frame_url: still.outputs[0] };
  const { outputs } = await darkroom.generate('video-f', input, { key: `${key}/clip` });
  return outputs[0].url;
}
