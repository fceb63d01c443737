import Replicate, { type FileOutput, type Prediction } from 'replicate';

const replicate = new Replicate();

type Report = (prediction: Prediction) => void;

export async function film(prompt: string, report: Report): Promise<string> {
  const output = await replicate.run('minimax/video-01', { input: { prompt } }, report);
  return (output as FileOutput).url().href;
}
