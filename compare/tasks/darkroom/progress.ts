import { DarkroomClient, type Progress } from '../../../src/client/index.ts'; // of the package: 'temporal-darkroom'

const darkroom = await DarkroomClient.connect();

type Report = (progress: Progress) => void;

export async function film(prompt: string, onProgress: Report, key: string): Promise<string> {
  const { outputs } = await darkroom.generate('video-g', { prompt }, { key, onProgress });
  return outputs[0].url;
}
