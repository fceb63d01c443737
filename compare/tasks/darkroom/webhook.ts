import { DarkroomClient } from '../../../src/client/index.ts'; // of the package: 'temporal-darkroom'

const darkroom = await DarkroomClient.connect();

export async function order(prompt: string, callback: string, key: string): Promise<void> {
  await darkroom.start('image-l', { prompt }, { key, callback });
}
