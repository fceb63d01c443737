import { DarkroomClient, file } from '../../../src/client/index.ts'; // of the package: 'temporal-darkroom'

const darkroom = await DarkroomClient.connect();

export async function enlarge(path: string, key: string): Promise<string> {
  const { outputs } = await darkroom.generate('upscale-q', { image_url: file(path) }, { key });
  return outputs[0].url;
}
