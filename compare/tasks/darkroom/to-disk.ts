import { DarkroomClient } from '../../../src/client/index.ts'; // of the package: 'temporal-darkroom'

const darkroom = await DarkroomClient.connect();

export async function draw(prompt: string, path: string, key: string): Promise<void> {
  const { outputs } = await darkroom.generate('image-l', { prompt }, { key });
  await darkroom.download(outputs[0], path);
}
